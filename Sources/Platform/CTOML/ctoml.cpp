#include "ctoml.h"

// toml++ asserts things of a document that a document needn't keep to, such as `[=]`; without that it names the fault.
#undef NDEBUG
#define TOML_ASSERT(expression) static_assert(true)
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

namespace {

ctoml_text text(std::string_view view) { return {view.data(), view.size()}; }

ctoml_position position(const toml::source_region &region) { return {region.begin.line, region.begin.column}; }

struct Walk {
    void *context;
    ctoml_visitor visit;

    void value(std::string_view key, ctoml_position at, const toml::node &node) const {
        ctoml_value value{};
        value.key = text(key);
        value.position = at;
        if (auto string = node.as_string()) {
            value.kind = CTOML_STRING;
            value.string = text(string->get());
        } else if (auto integer = node.as_integer()) {
            value.kind = CTOML_INTEGER;
            value.integer = integer->get();
        } else if (auto number = node.as_floating_point()) {
            value.kind = CTOML_FLOAT;
            value.number = number->get();
        } else if (auto boolean = node.as_boolean()) {
            value.kind = CTOML_BOOLEAN;
            value.boolean = boolean->get();
        } else {
            value.kind = node.is_array() ? CTOML_ARRAY : node.is_table() ? CTOML_TABLE : CTOML_DATE_OR_TIME;
        }
        visit(context, &value);
        if (auto array = node.as_array()) {
            for (const toml::node &element : *array) this->value({}, position(element.source()), element);
        } else if (auto table = node.as_table()) {
            values(*table);
        } else {
            return;
        }
        value.kind = CTOML_END;
        visit(context, &value);
    }

    void values(const toml::table &table) const {
        for (auto &&[key, node] : table) value(key.str(), position(key.source()), node);
    }
};

}  // namespace

void ctoml_parse(ctoml_text document, void *context, ctoml_visitor visit, ctoml_complainer complain) {
    toml::parse_result result = toml::parse(std::string_view{document.bytes, document.length});
    if (result) {
        Walk{context, visit}.values(result.table());
    } else {
        complain(context, text(result.error().description()), position(result.error().source()));
    }
}
