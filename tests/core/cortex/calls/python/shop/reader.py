from .money import *


class Reader:
    def parse(self, text):
        return parse(text)  # => shop/money.py parse

    def zero(self):
        return self.parse(zero())  # => shop/reader.py Reader.parse | shop/money.py zero
