"""How a function of networkx is declared here."""

from __future__ import annotations

import inspect
from typing import Any, Callable, Dict, Optional, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])
Reason = Optional[str]

COVERED: Dict[str, Callable[..., Any]] = {}
"""Every function that the backend has, by the name by which networkx dispatches it."""


def covers(function: Function) -> Function:
    """The function is that of networkx with this name, with its parameters."""
    COVERED[function.__name__] = function
    return function


def unless(refuse: Callable[..., Reason]) -> Callable[[Function], Function]:
    """Arguments for which `refuse` gives a reason are left to networkx. It takes some of the function's parameters, by name."""
    def decorate(function: Function) -> Function:
        function.refuse = refuse  # type: ignore[attr-defined]
        return function
    return decorate


def reason_against(name: str, args: Any, kwargs: Any) -> Reason:
    """Why networkx should do this call itself; None if there is no reason."""
    refuse = getattr(COVERED[name], "refuse", None)
    if refuse is None:
        return None
    bound = inspect.signature(COVERED[name]).bind(*args, **kwargs)
    bound.apply_defaults()
    reason: Reason = refuse(*[bound.arguments[parameter] for parameter in inspect.signature(refuse).parameters])
    return reason


def no_weights(weight: Any) -> Reason:
    return None if weight is None else "edges count alike"


def named_weights(weight: Any) -> Reason:
    return "weights are an attribute" if callable(weight) else None
