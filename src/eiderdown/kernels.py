"""Kernels: functions that Numba compiles when they are first called, and not before.

    @kernel("int64(Graph, const(int64[::1]), float64[:, ::1])")
    def first_better(graph, nodes, gains):
        ...

The signature is written as in Numba, with two things more: ``const(...)`` is an array that the
kernel only reads (so that frozen arrays are welcome), and the name of a NamedTuple that the
function's module knows stands for that record. Fields of such a record are int, float, bool,
other records, or arrays annotated with their type:

    class Graph(NamedTuple):
        n_nodes: int
        parents: Annotated[WordArray, "const(uint64[:, ::1])"]

An array in a ``const`` field must be read-only (see :func:`eiderdown.arrays.frozen`), and one in
another field must not: Numba converts arrays that are arguments, but not those inside a record.

Importing a module of kernels costs nothing, not even the import of Numba. At its first call a
kernel is read from Numba's cache on disk, or compiled and stored there; of several signatures
(``@kernel("...", "...")``) only those that are used. Never is anything but a declared signature
compiled. Kernels call other kernels by their names, and those become a part of the outer one: they
are optimised once, within it, and have no way in from Python there and no file in the cache.

What keeps compiling quick: scalar loops. An array expression (``a[:] = b``, ``np.any``, ``a == b``)
drags in broadcasting with its error messages, a second or more each time. Views (``row = a[i]``)
are cheap, though each kernel that takes another array type is compiled again.

``@kernel(..., inner=True)`` is for kernels that only other kernels call, make no arrays and give
back numbers. They count no references: the arrays are their caller's. Counting costs as much as
the work where a record is passed for every item of a list. Tests may call them: they are then
compiled apart.

Compiling takes seconds, and a first answer on a small table is not worth them. So a kernel that is
declared with ``small``, a function of the same arguments that says whether there is little to do,
runs as Python where that holds and no compiled form is stored yet, until it has taken ``PATIENCE``
seconds so. It is then either its own function, in which kernels that it names are Python, too, or
``instead``, the same in terms of NumPy. Only kernels whose answers are then the same to the last
bit may be declared so: those of whole numbers and comparisons, and of floats one operation at a
time. ``math.lgamma`` is another one in Python; :mod:`eiderdown.machine_functions` has the same.

``NUMBA_DISABLE_JIT=1`` runs the Python functions, ``NUMBA_BOUNDSCHECK=1`` checks indices; the
latter wants a ``NUMBA_CACHE_DIR`` of its own.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, cached_property, update_wrapper
from pathlib import Path
from threading import RLock
from time import thread_time
from types import FunctionType
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from eiderdown.forked import held_while_forking
from eiderdown.kernel_builds import fingerprint_of, store_builds
from eiderdown.kernel_time import WATCHED, timed

PATIENCE = 1.0
"""Seconds that a kernel may take as Python, altogether, before it is compiled."""

_BUILDING = RLock()
held_while_forking(_BUILDING)


class Kernel:
    """A function with its declared signatures; call it, from Python or from another kernel.

    Parameters
    ----------
    function : callable
        What to compile.
    signatures : tuple of str
        The types of its arguments and of what it returns; see the module.
    inner : bool, default=False
        Whether only other kernels call it; see the module.
    small, instead : callable, optional
        Whether some arguments are little work, and what then answers until the function is
        compiled; see the module.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        signatures: tuple[str, ...],
        *,
        inner: bool = False,
        small: Callable[..., bool] | None = None,
        instead: Callable[..., Any] | None = None,
    ) -> None:
        update_wrapper(self, function)
        self.function = function
        self.signatures = signatures
        self.inner = inner
        self._small = small
        self._instead = instead
        self._seconds = 0.0
        self._callable: Any = None
        self._linked: Any = None

    def __call__(self, *args: Any) -> Any:
        """Run the compiled function, or what stands for it where that is quicker."""
        if self._callable is None and self._python_pays(args):
            return self._run_as_python(args)
        if WATCHED:
            is_compiled = self._callable is not None
            return timed(self._callable or self._built(), args, is_compiled=is_compiled)
        return (self._callable or self._built())(*args)

    def _python_pays(self, args: tuple[Any, ...]) -> bool:
        if self._small is None or self._seconds >= PATIENCE or self._is_stored:
            return False
        return self._small(*args)

    def _run_as_python(self, args: tuple[Any, ...]) -> Any:
        import numpy as np

        start = thread_time()
        with np.errstate(all="ignore"):  # compiled code does not warn
            answer = (self._instead or self.as_python)(*args)
        self._seconds += thread_time() - start
        return answer

    @property
    def is_ready(self) -> bool:
        """Whether a call compiles nothing."""
        return self._callable is not None or self._is_stored

    @cached_property
    def _is_stored(self) -> bool:
        """Whether a compiled form is in one of the places where Numba stores most of them."""
        code = self.function.__code__
        source = Path(code.co_filename)
        name = f"{source.stem}.{self.function.__qualname__}-{code.co_firstlineno}.*.nbi"
        folder = os.environ.get("NUMBA_CACHE_DIR")
        found = Path(folder).glob(f"*/{name}") if folder else source.parent.glob(f"*/{name}")
        return any(True for _ in found)

    @cached_property
    def fingerprint(self) -> str:
        """Of all that its compiled form depends on."""
        self.__dict__["fingerprint"] = ""  # to itself, if it calls itself
        return fingerprint_of(self.function, self.signatures)

    @cached_property
    def as_python(self) -> Callable[..., Any]:
        """The function in which kernels that it names are Python functions, too."""
        return FunctionType(self.function.__code__, _python_names(self.function.__module__))

    def __reduce__(self) -> str:
        return self.function.__qualname__

    @property
    def _numba_type_(self) -> Any:
        """What Numba sees where a kernel names another."""
        with _BUILDING:
            if self._linked is None:
                self._linked = _linked_class()(self.function, self._declared(), inner=self.inner)
        return self._linked._numba_type_

    def compile(self) -> None:
        """Compile every signature now, or read it from the cache."""
        built = self._built()
        for signature in getattr(built, "declared", ()):
            built.compile(signature)

    @cached_property
    def address(self) -> int:
        """Where the compiled function of its only signature is; 0 if there is none.

        Kernels call it there by :func:`eiderdown.kernel_addresses.call_kernel`.
        """
        self.compile()
        for built in getattr(self._built(), "overloads", {}).values():
            return int(built.library.get_pointer_to_function(built.fndesc.llvm_func_name))
        return 0

    def _built(self) -> Any:
        """Return the dispatcher, which compiles nothing yet (or the function, if Numba is off)."""
        with _BUILDING:
            if self._callable is None:
                from numba import config

                if getattr(config, "DISABLE_JIT", False):
                    self._callable = self.function
                else:
                    dispatcher = _dispatcher_class()
                    built = dispatcher(self.function, self._declared(), inner=False)
                    store_builds(built, self.fingerprint)
                    self._callable = built
        return self._callable

    def _declared(self) -> list[Any]:
        return [_types_of(text, self.function) for text in self.signatures]


class Patience:
    """How long something was done in another way that a kernel could do.

    Parameters
    ----------
    kernel : Kernel
        What could do it; compiling it takes seconds.
    """

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._seconds = 0.0

    @property
    def is_over(self) -> bool:
        """Whether the kernel is compiled, or should be by now."""
        return self._kernel.is_ready or self._seconds >= PATIENCE

    @contextmanager
    def measured(self) -> Iterator[None]:
        """Measure what is done in the other way.

        If something is compiled meanwhile, that may have become quick enough: begin anew.
        """
        started, compiling = thread_time(), _COMPILING[0]
        yield
        self._seconds += thread_time() - started
        if compiling != _COMPILING[0]:
            self._seconds = 0.0


_COMPILING = [0.0]  # seconds so far


def kernel(
    *signatures: str,
    inner: bool = False,
    small: Callable[..., bool] | None = None,
    instead: Callable[..., Any] | None = None,
) -> Callable[[Callable[..., Any]], Kernel]:
    """Declare a function as a kernel with one signature or several; see the module."""
    return lambda function: Kernel(function, signatures, inner=inner, small=small, instead=instead)


_PYTHON_NAMES: dict[str, dict[str, Any]] = {}


def _python_names(module: str) -> dict[str, Any]:
    """Return what a module's functions see, with Python functions in place of kernels."""
    with _BUILDING:
        if module not in _PYTHON_NAMES:
            names = _PYTHON_NAMES[module] = dict(vars(sys.modules[module]))
            kernels = {name: item for name, item in names.items() if isinstance(item, Kernel)}
            names.update((name, item.as_python) for name, item in kernels.items())
        return _PYTHON_NAMES[module]


@cache
def _dispatcher_class() -> Any:
    """Numba's dispatcher, restricted to the declared signatures."""
    from numba.core import registry, sigutils

    dispatcher: Any = registry.CPUDispatcher
    normalised: Any = sigutils.normalize_signature

    class DeclaredDispatcher(dispatcher):  # type: ignore[misc]
        def __init__(self, function: Callable[..., Any], declared: list[Any], inner: bool) -> None:
            # Without reference counts (Numba's "_nrt") an array that is given back would be freed.
            if inner and any(_holds_array(signature.return_type) for signature in declared):
                raise TypeError(f"Kernel {function.__name__} is inner, but gives back an array.")
            # Nobody takes the address of a kernel, so the wrapper for C is not built, and division
            # by zero is NumPy's, because every check of it would carry the text of an error. All
            # are said, because a kernel inherits from the one that calls it what is not.
            options = {
                "nopython": True,
                "nogil": True,
                "no_cfunc_wrapper": True,
                "no_cpython_wrapper": inner,
                "_nrt": not inner,
                "error_model": "numpy",
            }
            super().__init__(function, targetoptions=options)
            self.declared, self.inner = declared, inner
            self._converted: set[tuple[Any, ...]] = set()  # types that are none of the declared

        # Numba numbers a type when it first sees it, and two threads that do so at once give it two
        # numbers: what one of them stores under its number no later call would find.

        def typeof_pyval(self, val: Any) -> Any:
            """Tell the type of an argument that is new to Numba."""
            with _BUILDING:
                return super().typeof_pyval(val)

        def _compile_for_args(self, *args: Any, **kws: Any) -> Any:
            with _BUILDING:
                return super()._compile_for_args(*args, **kws)

        def compile(self, sig: Any) -> Any:
            """Compile the declared signature that the types of some arguments fit."""
            args, _ = normalised(sig)
            with _BUILDING:
                started = thread_time()
                entry_point = super().compile(self.declared_for(args))
                _COMPILING[0] += thread_time() - started
                # Later calls with such arguments find it. Of threads that came together, one may
                # add it: Numba would not know which of two to take, and ask each time.
                if args not in self.overloads and args not in self._converted:
                    self._insert([arg._code for arg in args], entry_point, 0)
                    self._converted.add(args)
            return entry_point

        def declared_for(self, args: tuple[Any, ...]) -> Any:
            """Return the declared signature that the types of some arguments fit."""
            convert = self.targetctx.typing_context.can_convert
            for signature in self.declared:
                wanted = signature.args
                if len(wanted) == len(args) and all(
                    a == w or convert(a, w) is not None for a, w in zip(args, wanted, strict=True)
                ):
                    return signature
            raise TypeError(
                f"Kernel {self.py_func.__name__} is declared for {self.declared}, not {args}."
            )

    return DeclaredDispatcher


@cache
def _linked_class() -> Any:
    """Numba's dispatcher for calls from other kernels, of which the called one becomes a part."""
    from numba.core import codegen, config, sigutils
    from numba.core import compiler as numba_compiler

    compiler: Any = numba_compiler
    dispatcher: Any = _dispatcher_class()
    normalised: Any = sigutils.normalize_signature
    code_library: Any = codegen.JITCodeLibrary

    class LinkedLibrary(code_library):  # type: ignore[misc]
        """Code that waits for being linked, and optimised, where it is called."""

        def _optimize_final_module(self) -> None:
            pass

        def _finalize_final_module(self) -> None:
            self._finalize_dynamic_globals()
            self._finalized = True

    class LinkedDispatcher(dispatcher):  # type: ignore[misc]
        def compile(self, sig: Any) -> Any:
            """Type and lower a declared signature; machine code is made where it is called."""
            signature = self.declared_for(normalised(sig)[0])
            if signature.args not in self.overloads:
                self.overloads[signature.args] = self._lowered(signature)
            return self.overloads[signature.args].entry_point

        def _lowered(self, signature: Any) -> Any:
            flags = compiler.Flags()
            self.targetdescr.options.parse_as_flags(flags, self.targetoptions)
            flags.no_compile = flags.no_cpython_wrapper = True
            # Records of arrays are long arguments; with bounds checks it is compiling that counts.
            flags.forceinline = self.inner and not getattr(config, "BOUNDSCHECK", None)
            library = LinkedLibrary(self.targetctx.codegen(), self.py_func.__qualname__)
            lowered = compiler.compile_extra(
                self.typingctx,
                self.targetctx,
                self.py_func,
                args=signature.args,
                return_type=signature.return_type,
                flags=flags,
                locals={},
                library=library,
            )
            key = object()  # calls find the code by it, as they would by its address
            self.targetctx.insert_user_function(key, lowered.fndesc, [library])
            return lowered._replace(entry_point=key)

    return LinkedDispatcher


def _holds_array(result: Any) -> bool:
    from numba import types

    if isinstance(result, types.BaseTuple):
        return any(map(_holds_array, result))  # type: ignore[call-overload]
    return isinstance(result, types.Array)


def _types_of(text: str, function: Callable[..., Any]) -> Any:
    """Read a type or a signature as the module of a function understands it."""
    return eval(text, {"__builtins__": {}}, _Names(function.__globals__))


class _Names(dict[str, Any]):
    """Names that may stand in a signature: Numba's types, ``const`` and a module's records."""

    def __init__(self, module: dict[str, Any]) -> None:
        self._module = module

    def __missing__(self, name: str) -> Any:
        from numba import types

        if name == "const":
            return _read_only
        if name in self._module:
            return _record_type(self._module[name])
        return getattr(types, name)


def _read_only(array: Any) -> Any:
    return array.copy(readonly=True)


@cache
def _record_type(record: type) -> Any:
    """Return Numba's type of a NamedTuple whose fields are annotated as the module says."""
    from numba import types

    names = _Names(vars(sys.modules[record.__module__]))
    scalars = {int: types.int64, float: types.float64, bool: types.boolean}

    def type_of(hint: Any) -> Any:
        if get_origin(hint) is Annotated:
            return eval(get_args(hint)[1], {"__builtins__": {}}, names)
        return scalars.get(hint) or _record_type(hint)

    fields = get_type_hints(record, include_extras=True)
    members = [type_of(hint) for hint in fields.values()]
    if len(set(members)) == 1:  # to Numba such a tuple is of another kind
        return types.NamedUniTuple(members[0], len(members), record)  # type: ignore[no-untyped-call]
    return types.NamedTuple(members, record)  # type: ignore[no-untyped-call]
