"""What a program gives to a public function: of its type, or a sentence that says which."""


def expect(given: object, kinds: type | tuple[type, ...], said: str) -> None:
    """Raise TypeError where `given` is none of `kinds`; `said` begins the sentence, as in
    "`device` must be a name"."""
    if not isinstance(given, kinds):
        found = "None" if given is None else type(given).__name__
        raise TypeError(f"{said}, not {found}")
