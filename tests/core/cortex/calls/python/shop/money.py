__all__ = ["Money", "parse", "zero"]


class Money:
    def __init__(self, cents):
        self.cents = cents

    def plus(self, other):
        return Money(self.cents + other.cents)  # => shop/money.py Money

    def times(self, factor):
        result = self.rounded(self.cents * factor)  # => shop/money.py Money.rounded
        return result

    @staticmethod
    def rounded(value):
        return Money(round(value))  # => shop/money.py Money

    @classmethod
    def euros(cls, amount):
        return cls.rounded(amount * 100)  # => shop/money.py Money.rounded


def parse(text):
    return Money(digits(text))  # => shop/money.py Money | shop/money.py digits


def digits(text):
    cleaned = text.strip()  # => -
    return int(cleaned)  # => -


def zero():
    return Money.euros(0)  # => shop/money.py Money.euros
