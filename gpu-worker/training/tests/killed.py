"""A run that is killed in the middle of its stream of batches."""


class Killed(Exception):
    pass


def stopping(make, count):
    """`make`, a maker of an endless stream, whose streams end in Killed after `count` elements."""

    def made(*arguments):
        for number, element in enumerate(make(*arguments)):
            if number == count:
                raise Killed
            yield element

    return made
