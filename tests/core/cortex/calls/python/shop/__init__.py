from .cart import Cart, total_of as total
from .money import *
from . import stock
