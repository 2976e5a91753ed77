"""JavaScript, with JSX."""

from __future__ import annotations

from sakur4_core.cortex.languages import ecmascript
from sakur4_core.cortex.languages.language import Language

QUERY = f"""{ecmascript.FUNCTIONS}{ecmascript.JSX}
(field_definition) @definition.constant
(field_definition value: [(arrow_function) (function_expression)]) @definition.method
(field_definition) @ended
(class_heritage [(identifier) (member_expression)] @inherits)
(formal_parameters (identifier) @local)
"""

JAVASCRIPT = Language(
    name="javascript",
    grammar="javascript",
    suffixes=(".js", ".jsx", ".mjs", ".cjs"),
    query=QUERY,
    normal=ecmascript.NORMAL,
    names=ecmascript.names,
    body=ecmascript.body,
    imports=ecmascript.read_imports,
    exports=ecmascript.read_exports,
    typings=ecmascript.typings,
    module_name=ecmascript.module_name,
    module_files=ecmascript.module_files,
    own_names=ecmascript.OWN_NAMES,
    builtins=ecmascript.BUILTINS,
)
