import pytest
from shop import zero
from shop.cart import Cart
from shop.rules import Never


@pytest.fixture
def cart():
    return Cart(Never(1))  # => shop/cart.py Cart | shop/rules.py Never


class TestCart:
    def test_add(self, cart):
        cart.add("x", "1")  # => ?
        assert zero() is None  # => shop/money.py zero

    def test_helper(self):
        self.helper()  # => tests/test_cart.py TestCart.helper

    def helper(self):
        pytest.fail("x")  # => -
