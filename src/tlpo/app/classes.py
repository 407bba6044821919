"""Which labels of an outcome are told apart: all, two, one against the others, or some together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple, get_args

from htmltools import Tag, tags

from tlpo.app.parts import scrolled, select, text
from tlpo.plurals import counted
from tlpo.tables.options import MOST_CLASSES, REST
from tlpo.tables.several import are_numbers, find_order, join_labels

Way = Literal["all", "two", "one", "pooled", "grades"]
# What a label may be if some are pooled.
OWN, OUT = "own", "out"
POOLS = ((OWN, "its own class"), ("A", "class A"), ("B", "class B"), (OUT, "left out"))


class Label(NamedTuple):
    """A label of the outcome, and how many rows have it."""

    name: str
    n_rows: int


@dataclass(frozen=True)
class Choice:
    """What is to be told apart.

    Attributes
    ----------
    labels : tuple of Label
        All that the outcome has; none if there is nothing to choose.
    way : str
        How they are used.
    two : tuple of int
        Places of the labels to tell apart if there are to be two.
    one : int
        Place of the label that is told from all others.
    pools : dict of int to str
        What becomes of labels if some are pooled, by place; each is a class of its own unless it
        is here.
    order : tuple of str
        The labels from lowest to highest if they are grades, or look like it.
    """

    labels: tuple[Label, ...] = ()
    way: Way = "all"
    two: tuple[int, int] = (0, 1)
    one: int = 0
    pools: Mapping[int, str] = field(default_factory=dict)
    order: tuple[str, ...] = ()

    def among(self, labels: Sequence[Label]) -> Choice:
        """Return the choice among labels; they may look like grades."""
        found = find_order([label.name for label in labels]) if labels else None
        return replace(self, labels=tuple(labels), order=self.order or tuple(found or ()))

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes as a `Specification` names them; none for all labels.

        Examples
        --------
        >>> of = Choice().among([Label("a", 9), Label("b", 8), Label("c", 7), Label("d", 6)])
        >>> replace(of, way="two").classes, replace(of, way="one", one=2).classes
        (('a', 'b'), ('c', 'rest'))
        >>> replace(of, way="pooled", pools={0: "A", 2: "A", 3: OUT}).classes
        ('b', 'a,c')
        """
        names = [label.name for label in self.labels]
        if self.way == "two":
            return tuple(names[k] for k in self.two)
        if self.way == "one":
            others = [name for k, name in enumerate(names) if k != self.one]
            # A label may itself be called so.
            return names[self.one], self._join(others) if REST in names else REST
        if self.way != "pooled" or all(pool == OWN for pool in self.pools.values()):
            return ()
        into: dict[str, list[str]] = {pool: [] for pool, _ in POOLS}
        for k, name in enumerate(names):
            into[self.pools.get(k, OWN)].append(name)
        pooled = [self._join(into[pool]) for pool in ("A", "B") if into[pool]]
        return (*into[OWN], *pooled)

    def _join(self, names: Sequence[str]) -> str:
        """Name a class of several labels, as no label is named."""
        return join_labels(names, [label.name for label in self.labels])

    @property
    def asked(self) -> dict[str, Any]:
        """What a `Specification` says about it; the positive label is another question."""
        names = [label.name for label in self.labels]
        is_by_number = are_numbers(names) and list(self.order) == find_order(names)
        order = self.order if self.way == "grades" and not is_by_number else ()
        return {
            "classes": self.classes,
            "ordered": self.way == "grades" and not order,
            "order": order,
            "positive": None,
        }

    def ranked(self, order: Sequence[str]) -> Choice:
        """Return the choice of grades, in an order that the user may have typed."""
        return replace(self, way="grades", order=tuple(order) or self.order)

    def unranked(self) -> Choice:
        """Return the choice after grades were taken back."""
        way: Way = "all" if self.way == "grades" else self.way
        return replace(self, way=way, order=()).among(self.labels)

    def changed(self, what: str, value: str, label: int = 0) -> Choice:
        """Return the choice after a control was changed."""
        if what == "way":
            return replace(self, way=next(way for way in get_args(Way) if way == value))
        if what == "first":
            return replace(self, two=(int(value), self.two[1]))
        if what == "second":
            return replace(self, two=(self.two[0], int(value)))
        if what == "one":
            return replace(self, one=int(value))
        return replace(self, pools={**self.pools, label: value})


def show(choice: Choice, target: str) -> Tag:
    """Say which labels there are, and let the user choose.

    What belongs to a way is always there, and the style sheet shows it if the way is chosen: a list
    that is replaced while it is open closes.
    """
    labels = choice.labels
    names = [(str(k), label.name) for k, label in enumerate(labels)]
    listed = ", ".join(f"{text(name)} ({counted(n_rows, 'row')})" for name, n_rows in labels)
    is_many = len(labels) > MOST_CLASSES
    default = "All of them are told apart, unless you choose otherwise."
    said = f"Choose up to {MOST_CLASSES} classes." if is_many else default

    def way(value: Way, said: str, *more: Tag) -> Tag:
        button = tags.input(
            type="radio",
            name="classes",
            value=value,
            id=f"classes-{value}",
            checked="" if choice.way == value else None,
            data_classes="way",
        )
        return tags.div(tags.label(button, said), *more, class_="way")

    def one_of(what: str, said: str, place: int) -> Tag:
        told = {"data_classes": what, "data_shiny_no_bind_input": ""}
        return select(f"classes-{what}-label", said, names, str(place), **told)

    return tags.fieldset(
        tags.legend("Which classes are told apart?"),
        tags.p(f"{text(target)} has {len(labels)} labels: {listed}. {said}", id="labels"),
        None if is_many else way("all", "All of them"),
        way(
            "two",
            "Two of them",
            tags.div(
                one_of("first", "One class", choice.two[0]),
                one_of("second", "The other class", choice.two[1]),
                class_="row",
            ),
        ),
        way(
            "one",
            "One against the others",
            tags.div(one_of("one", "This class", choice.one), class_="row"),
        ),
        way("pooled", "Some of them together, or left out", _pools(choice)),
        way("grades", f"Are these grades? Rank them: {text(' < '.join(choice.order))}")
        if choice.order
        else None,
    )


def _pools(choice: Choice) -> Tag:
    """Let every label be a class of its own, part of one, or none."""
    rows = []
    for k, label in enumerate(choice.labels):
        chosen = choice.pools.get(k, OWN)
        options = [
            tags.option(said, value=pool, selected="" if pool == chosen else None)
            for pool, said in POOLS
        ]
        pool = tags.select(
            *options,
            id=f"classes-pool-{k}",
            aria_label=f"Class of {text(label.name)}",
            data_classes="pool",
            data_label=str(k),
            data_shiny_no_bind_input="",
        )
        rows.append(
            tags.tr(
                tags.th(text(label.name), scope="row"),
                tags.td(str(label.n_rows)),
                tags.td(pool),
            )
        )
    return scrolled("The class of every label", ["Label", "Rows", "Class"], rows)
