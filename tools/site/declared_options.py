"""Options that are declared once, shown in the reference as Python shows them.

Verbs and estimators are written with ``**options`` or ``**params``; what stands for it comes from
declarations when the module is imported. Griffe reads sources and sees the word only, so here it gets the signature
and the docstring of the imported object.
"""

from __future__ import annotations

import inspect
import re
from pkgutil import resolve_name
from typing import Any

from griffe import Class, Docstring, Extension, Function, Object, Parameter, ParameterKind, Parameters

_PLACE = re.compile(r"^ *\*\*(options|params)$", re.MULTILINE)
_ROLE = re.compile(r":\w+:`~?([\w.]+)`")


class DeclaredOptions(Extension):
    """Replace the place of options by the options themselves, and roles of Sphinx by links."""

    def on_function(self, *, func: Function, **_: Any) -> None:
        """Take signature and docstring of a function that is about to be shown."""
        if any(_is_declared(parameter) for parameter in func.parameters):
            found = _imported(func)
            if found is not None:
                func.parameters = _parameters(inspect.signature(found))
                if func.name != "__init__":
                    _take_docstring(func, found)
        _mend_roles(func)

    def on_class(self, *, cls: Class, **_: Any) -> None:
        """Take the docstring of a class whose parameters are declared."""
        if cls.docstring is not None and _PLACE.search(cls.docstring.value):
            found = _imported(cls)
            if found is not None:
                _take_docstring(cls, found)
        _mend_roles(cls)

    def on_module(self, *, mod: Object, **_: Any) -> None:
        """Mend the links in the docstring of a module."""
        _mend_roles(mod)

    def on_attribute(self, *, attr: Object, **_: Any) -> None:
        """Mend the links in the docstring of an attribute."""
        _mend_roles(attr)


def _is_declared(parameter: Parameter) -> bool:
    return parameter.kind is ParameterKind.var_keyword and "Unpack" in str(parameter.annotation)


def _imported(item: Object) -> Any:
    try:
        return resolve_name(f"{item.module.path}:{item.path.removeprefix(item.module.path + '.')}")
    except AttributeError:  # defined within another function: not shown either
        return None


def _take_docstring(item: Object, found: Any) -> None:
    text = inspect.getdoc(found)
    if text is not None:
        item.docstring = Docstring(text, parent=item)


def _parameters(signature: inspect.Signature) -> Parameters:
    return Parameters(
        *(
            Parameter(
                parameter.name,
                kind=ParameterKind(parameter.kind.description),
                default=None
                if parameter.default is inspect.Parameter.empty
                else repr(parameter.default),
            )
            for parameter in signature.parameters.values()
        )
    )


def _mend_roles(item: Object) -> None:
    if item.docstring is not None:
        item.docstring.value = _ROLE.sub(_reference, item.docstring.value)


def _reference(found: re.Match[str]) -> str:
    path = found.group(1)
    return f'<autoref optional identifier="{path}"><code>{path}</code></autoref>'
