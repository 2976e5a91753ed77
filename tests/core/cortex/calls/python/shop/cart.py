import json
import logging as log
from collections import OrderedDict

from shop import stock
from shop.money import Money, parse

from .rules import Discount, Rule

logger = log.getLogger(__name__)  # => -


class Base:
    def save(self):
        return self.dump()  # => ?

    def describe(self):
        return "base"


class Cart(Base):
    limit: Money = Money(500)  # => shop/money.py Money

    def __init__(self, rule: Rule):
        super().__init__()  # => -
        self.rule = rule
        self.lines = OrderedDict()  # => -
        self.discount = Discount(3)  # => shop/rules.py Discount

    def dump(self):
        return json.dumps(self.lines)  # => -

    def add(self, name, price):
        stock.reserve(name)  # => shop/stock.py reserve
        self.lines[name] = parse(price)  # => shop/money.py parse
        self.check()  # => shop/cart.py Cart.check
        logger.info(name)  # => -

    def check(self):
        self.rule.test(self)  # => shop/rules.py Rule.test
        self.discount.apply(self)  # => shop/rules.py Discount.apply
        self.describe()  # => shop/cart.py Base.describe
        self.vanish()  # => -

    def sum(self):
        total = Money(0)  # => shop/money.py Money
        for price in self.lines.values():  # => -
            total = total.plus(price)  # => shop/money.py Money.plus
        return total


def total_of(cart: Cart):
    def inner(value):
        return cart.sum()  # => shop/cart.py Cart.sum

    return inner(cart)  # => shop/cart.py total_of.inner


def parse_all(parse, texts):
    return [parse(text) for text in texts]  # => -


def save(things):
    for thing in things:
        thing.save()  # => ?
