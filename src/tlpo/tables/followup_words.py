"""The words of follow-up: what is asked about, and what an analysis of times is offered for."""

from __future__ import annotations

import unicodedata

from tlpo.tables.words import set_of, words_of

# How columns of a time are called, before or after what they have in common with a status.
TIMES = set_of(
    "time times days day months month mon mos weeks week years year yrs dur duration studytime"
)
# … as words of their own only: osmo is osmolality. Also German, French and Finnish.
SHORT_TIMES = set_of(
    "mo mth mths wk wks yr zeit dauer tage monate wochen jahre duree delai temps jours "
    "semaines mois ans annees aika kesto pv kk kuukautta vuotta"
)
# … behind PFS, but not behind OS, whose lens may have 2 D.
_LETTERS = set_of("d m y")
# A time of anything, unless it tells who had an event. A day or a year may be one of the calendar;
# a unit such as mo is no time by itself.
ANY_TIME = (TIMES - set_of("day month week year mon")) | set_of("zeit aika")
# What ended follow-up, before or after what it has in common with a time.
ENDS = set_of("status stat event ev cens censor censored delta ind indicator")
# … those that mean nothing else behind the name of an end point.
SURE_ENDS = set_of("status stat event cens censor censored")
# Times to progression or recurrence, and survival free of them. Beside other words they are
# something else: transthyretin is TTR too.
TIMES_TO = set_of("pfs dfs rfs efs dmfs lrfs mfs lfs ffs ttp ttr ttnt")
# The same, beside a time, a status or other follow-up only: OS is also the left eye, TTE an
# echocardiography, DFI the fragmentation of DNA, and TTF1 a marker.
SURVIVALS = set_of("os css dss ttf tte rfi dfi pfi")
# What happens to patients, …
EVENTS = set_of("event relapse recurrence recur recurr progression bcr")
# … and is called so beside a time or a status.
WITH_MORE = SURVIVALS | EVENTS | set_of("fu surv")
# What ended follow-up, as a column called so and nothing else.
ENDED = SURE_ENDS | set_of(
    "fustat delta recurrence recurred relapse relapsed progression progressed"
)
# The time somebody was followed, in one word.
FOLLOWED = set_of(
    "followup fu fup futime futimes fuptime lastfu survival surv survtime survtim surtim survdays "
    "survmonths survyears lastcontact lastseen lastvisit lastnews obstime timeinstudy timeonstudy "
    "eventfree relapsefree recurrencefree progressionfree lenfol suivi survie"
)
# … and the beginning of such words: Nachbeobachtungszeit, Überlebenszeit, seuranta-aika.
_BEGINNINGS = ("nachbeobacht", "uberleb", "ueberleb", "gesamtuberleb", "gesamtueberleb",
               "seuranta", "elossaolo")  # fmt: skip
# Free of what, for so long. Without a unit it may be an interval before.
_FREE = set_of("disease metastasis metastases leukemia leukaemia failure recidive rezidiv")
_UNTIL = set_of("to until till bis")
_STAY = set_of("icu hospital hosp total length of stay in the los unit") | TIMES | SHORT_TIMES


def plain_words(name: str) -> list[str]:
    """Split a name into words without accents.

    Examples
    --------
    >>> plain_words("Überlebenszeit"), plain_words("durée de suivi (mo)")
    (['uberlebenszeit'], ['duree', 'de', 'suivi', 'mo'])
    """
    letters = unicodedata.normalize("NFKD", name)
    return words_of("".join(c for c in letters if not unicodedata.combining(c)))


def is_followup(word: str) -> bool:
    """Return whether a word says how long somebody was followed.

    Examples
    --------
    >>> [is_followup(word) for word in ("futime", "nachbeobachtungszeit", "fumo")]
    [True, True, False]
    """
    return word in FOLLOWED or word.startswith(_BEGINNINGS)


def is_time_to(name: str) -> bool:
    """Return whether a name is that of a time to progression, recurrence or death.

    Examples
    --------
    >>> [is_time_to(name) for name in ("PFS", "rfstime", "OS_mo", "BCR_time", "t.recur", "survmon")]
    [True, True, True, True, True, True]
    >>> [is_time_to(name) for name in ("TTR_prealbumin", "OS", "os12m", "downtime", "osmo", "mo")]
    [False, False, False, False, False, False]
    >>> [is_time_to(name) for name in ("TimeUntilRelapse", "Disease Free (Months)", "ICU LOS")]
    [True, True, True]
    >>> [is_time_to(name) for name in ("disease-free interval", "motor score", "LOS gene")]
    [False, False, False]
    """
    words = plain_words(name)
    units = TIMES | SHORT_TIMES
    if TIMES_TO & set(words) and set(words) <= TIMES_TO | units | _LETTERS | ENDS:
        return True
    # t_event, but not a word that begins with a t.
    stems = without("".join(words), TIMES) | without_word(words, units)
    if len(words) == 2 and words[0] == "t":
        stems.add(words[1])
    if stems & (TIMES_TO | WITH_MORE):
        return True
    if words[:1] and words[0] in units and _UNTIL & {*words[1:2]}:
        return len(words) > 2
    if "free" in words and _FREE & set(words) and units & set(words):
        return True
    return {*words} <= _STAY and ("los" in words or {"length", "stay"} <= {*words})


def keys_of_time(name: str) -> set[tuple[str, bool]]:
    """Return what the name of a time may share with that of its status, one of `keys_of_status`.

    Examples
    --------
    >>> sorted(keys_of_time("pgtime")), keys_of_time("OS"), keys_of_time("age")
    ([('pg', False), ('pg', True)], {('os', True)}, set())
    """
    words = plain_words(name)
    joined = "".join(words)
    stems = without(joined, TIMES) | without_word(words, SHORT_TIMES)
    keys = {(stem, has_end) for stem in stems for has_end in (True, False)}
    return keys | ({(joined, True)} if joined in TIMES_TO | WITH_MORE else set())


def keys_of_status(name: str) -> set[tuple[str, bool]]:
    """Return what a status is of, and whether its name also says that it is one.

    Examples
    --------
    >>> keys_of_status("pgstat"), keys_of_status("PFI"), keys_of_status("sleep")
    ({('pg', True)}, {('pfi', False)}, set())
    """
    joined = "".join(plain_words(name))
    keys = {(stem, True) for stem in without(joined, ENDS)}
    return keys | ({(joined, False)} if joined in TIMES_TO | WITH_MORE | ENDED else set())


def is_end(name: str) -> bool:
    """Return whether a name is that of the status of an end point.

    Examples
    --------
    >>> is_end("OS_STATUS"), is_end("last_status"), is_end("smoking status"), is_end("os ind")
    (True, True, False, False)
    """
    words = plain_words(name)
    ended = TIMES_TO | SURVIVALS | set_of("last vital survival fu followup")
    return bool(without("".join(words), SURE_ENDS) & ended)


def without(joined: str, words: frozenset[str]) -> set[str]:
    """Return what is left of a name without one of some words at its end or its beginning."""
    ends = {joined.removesuffix(word) for word in words if joined.endswith(word)}
    return (ends | {joined.removeprefix(w) for w in words if joined.startswith(w)}) - {"", joined}


def without_word(words: list[str], some: frozenset[str]) -> set[str]:
    """Return what is left of words without the last, or the first, if it is one of some."""
    left = [words[:-1]] if words[-1:] and words[-1] in some else []
    left += [words[1:]] if words[:1] and words[0] in some else []
    return {"".join(rest) for rest in left} - {""}
