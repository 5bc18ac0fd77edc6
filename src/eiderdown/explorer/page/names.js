// Names of columns as people can read them: characters that act on a text are written out.
const ACTING = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

export function visible(text) {
  return text.replace(ACTING, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

export function shortened(text, most) {
  const letters = [...visible(text)];
  return letters.length > most ? letters.slice(0, most - 1).join("") + "…" : letters.join("");
}
