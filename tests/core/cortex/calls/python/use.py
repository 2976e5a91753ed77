import shop
from shop import Cart, Money, parse, stock, total
from shop.json import loads
from shop.rules import make as made


def main(argument):
    rule = made("x")  # => shop/rules.py make
    cart = Cart(rule)  # => shop/cart.py Cart
    cart.add("a", "3")  # => shop/cart.py Cart.add
    cart.save()  # => shop/cart.py Base.save
    total(cart)  # => shop/cart.py total_of
    argument.add(1)  # => ?


def more():
    price = parse("3")  # => shop/money.py parse
    price.times(2)  # => shop/money.py Money.times
    Money.euros(3)  # => shop/money.py Money.euros
    stock.reserve("x")  # => shop/stock.py reserve
    loads("1")  # => shop/json.py loads
    print("done")  # => -
    shop.total(None)  # => shop/cart.py total_of


def shadow():
    def parse(text):
        return text

    return parse("x")  # => use.py shadow.parse


def local_import():
    from shop.money import zero

    return zero()  # => shop/money.py zero


def rebound(flag):
    cart = Cart(None)  # => shop/cart.py Cart
    if flag:
        cart = flag
    cart.sum()  # => ?


async def later(cart: Cart):
    await cart.check()  # => shop/cart.py Cart.check
    values = sorted([1], key=lambda value: stock.level(value))  # => - | shop/stock.py level
    return values
