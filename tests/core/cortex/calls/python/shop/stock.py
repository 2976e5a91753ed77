import os.path

import shop.money as money
import shop.rules

counts = {}


def reserve(name):
    count = level(name)  # => shop/stock.py level
    rule = shop.rules.make("never")  # => shop/rules.py make
    rule.explain()  # => ?
    return count


def level(name):
    return counts.get(name)  # => -


def path_of(name):
    return os.path.join("stock", name)  # => -


def price(name):
    found = money.parse(name)  # => shop/money.py parse
    return found.plus(money.zero())  # => shop/money.py Money.plus | shop/money.py zero


def open(name):
    return level(name)  # => shop/stock.py level


def read(name):
    with open(name) as file:  # => shop/stock.py open
        return file.read()  # => -


class Shelf:
    def open(self):
        return open(self)  # => shop/stock.py open

    def close(self):
        close = self.open
        return close()  # => shop/stock.py Shelf.open
