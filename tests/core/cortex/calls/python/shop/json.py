def dumps(value):
    return str(value)  # => -


def loads(text):
    return dumps(text)  # => shop/json.py dumps
