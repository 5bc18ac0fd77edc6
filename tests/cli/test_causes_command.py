"""``eiderdown causes``: the same answer as the library, in words."""

from command_line import run

from eiderdown import Orientation, find_causes, networks


def test_causes_in_words_and_as_json(tmp_path):
    path = tmp_path / "asia.csv"
    networks.load("asia").sample(2_000, random_state=100).to_pandas().to_csv(path, index=False)
    words = ("causes", path, "--target", "either", "--resamples", "4", "--quiet")
    result = run(*words)
    assert result.exit_code == 0
    assert result.stdout.startswith("Around 'either': ")
    assert "\nxray " in result.stdout
    assert "GES with BDeu" in result.stdout
    found = Orientation.from_json(run(*words, "--json").stdout)
    direct = find_causes(path, "either", resamples=4, progress=False)
    assert found.neighbours == direct.neighbours
    for role in found.neighbours:
        assert f"{role.name}: {role.why}" in result.stdout
    for spouse in found.spouses:
        assert f"{spouse.name} (spouse, {spouse.probability:.0%})" in result.stdout


def test_a_target_that_is_not_there_is_named(tmp_path):
    path = tmp_path / "small.csv"
    path.write_text("a,b\n" + "0,1\n1,0\n" * 20)
    result = run("causes", path, "--target", "c")
    assert result.exit_code != 0
    assert "'c'" in result.stderr
