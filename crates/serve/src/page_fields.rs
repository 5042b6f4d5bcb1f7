//! Values of a page by CSS selectors: lists of objects, as in Crawl4AI's schema for extraction
//! without a language model, and attributes, as in Firecrawl's format of that name.

use super::problem::Problem;
use regex::Regex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use vclean_core::capture::{Dom, NodeId, Selectors, Tree};
use vclean_core::elements::separates_text_blocks;

/// Largest number of fields of a request, including those of fields.
const MAX_FIELDS: usize = 200;
/// Deepest nesting of fields.
const MAX_DEPTH: usize = 8;
/// Largest number of nodes that are compared with selectors, and of bytes of the values. Heuristic:
/// a page of a thousand items of a hundred nodes with twenty fields needs two million.
const MAX_STEPS: usize = 50_000_000;
const MAX_BYTES: usize = 16 << 20;

/// A list of objects to take from a page.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct FieldsRequest {
    /// The elements that become one object each.
    base_selector: String,
    /// The members of each object.
    fields: Vec<FieldRequest>,
    /// Members that come from the attributes or text of the element itself.
    #[serde(default)]
    base_fields: Vec<FieldRequest>,
    /// A name of your own, which has no effect.
    #[serde(default)]
    #[allow(dead_code)] // Schemas have it.
    name: Option<String>,
}

/// A member of an object.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct FieldRequest {
    name: String,
    /// The element inside that of the object; the element itself if absent.
    #[serde(default)]
    selector: Option<String>,
    /// Kind of the value.
    r#type: FieldKind,
    /// The attribute for `attribute`.
    #[serde(default)]
    attribute: Option<String>,
    /// The regular expression for `regex`; the value is its first group, or all that it matches.
    #[serde(default)]
    pattern: Option<String>,
    /// The members for `nested`, `list` and `nested_list`.
    #[serde(default)]
    fields: Vec<FieldRequest>,
    /// How a text is changed.
    #[serde(default)]
    transform: Option<Transform>,
    /// The value where there is none; the member is left out if this is absent.
    #[serde(default)]
    default: Option<Value>,
}

/// Kind of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum FieldKind {
    /// The text of the first element, without space around it.
    Text,
    Attribute,
    /// The first element itself.
    Html,
    /// A part of the text.
    Regex,
    /// An object with fields of its own.
    Nested,
    /// A list of objects, one for each element.
    List,
    NestedList,
}

/// A change of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Transform {
    Lowercase,
    Uppercase,
    /// Removes space around it, which is done anyway.
    Strip,
}

/// A checked list of objects.
#[derive(Debug)]
pub(super) struct Fields {
    base: Selectors,
    fields: Vec<Field>,
}

#[derive(Debug)]
struct Field {
    name: String,
    selector: Option<Selectors>,
    value: Wanted,
    transform: Option<Transform>,
    default: Option<Value>,
}

#[derive(Debug)]
enum Wanted {
    Text,
    Attribute(String),
    Html,
    Regex(Regex),
    Object(Vec<Field>),
    List(Vec<Field>),
}

/// The work that is left on a page.
struct Budget {
    steps: usize,
    bytes: usize,
}

impl Budget {
    fn spend(&mut self, steps: usize, bytes: usize) -> Result<(), Problem> {
        let (steps, bytes) = (self.steps.checked_sub(steps), self.bytes.checked_sub(bytes));
        let too_much = || {
            Problem::request(
                "the selectors of `fields` match too much of this page; name fewer or more exact ones",
            )
        };
        self.steps = steps.ok_or_else(too_much)?;
        self.bytes = bytes.ok_or_else(too_much)?;
        Ok(())
    }
}

impl FieldsRequest {
    /// Checks the selectors, patterns and numbers.
    ///
    /// # Errors
    /// If one is wrong.
    pub(super) fn check(self) -> Result<Fields, Problem> {
        let mut count = 0;
        let own = self.base_fields.into_iter().map(|field| FieldRequest {
            selector: None,
            ..field
        });
        let all = own.chain(self.fields).collect();
        Ok(Fields {
            base: Selectors::parse(&[self.base_selector]).map_err(Problem::request)?,
            fields: check_all(all, 0, &mut count)?,
        })
    }
}

fn check_all(
    fields: Vec<FieldRequest>,
    depth: usize,
    count: &mut usize,
) -> Result<Vec<Field>, Problem> {
    *count += fields.len();
    if *count > MAX_FIELDS || depth > MAX_DEPTH {
        return Err(Problem::request(format!(
            "`fields` has more than {MAX_FIELDS} fields or {MAX_DEPTH} levels; take several formats"
        )));
    }
    let mut checked = Vec::new();
    for field in fields {
        checked.push(field.check(depth, count)?);
    }
    Ok(checked)
}

impl FieldRequest {
    fn check(self, depth: usize, count: &mut usize) -> Result<Field, Problem> {
        let name = self.name;
        let needs = |what: &str| {
            Problem::request(format!(
                "the field {name} has no `{what}`, which its type needs"
            ))
        };
        let value = match self.r#type {
            FieldKind::Text => Wanted::Text,
            FieldKind::Html => Wanted::Html,
            FieldKind::Attribute => Wanted::Attribute(
                self.attribute
                    .ok_or_else(|| needs("attribute"))?
                    .to_lowercase(),
            ),
            FieldKind::Regex => {
                let pattern = self.pattern.ok_or_else(|| needs("pattern"))?;
                Wanted::Regex(Regex::new(&pattern).map_err(|_| {
                    Problem::request(format!(
                        "the pattern of the field {name} is no regular expression"
                    ))
                })?)
            }
            _ if self.fields.is_empty() => return Err(needs("fields")),
            FieldKind::Nested => Wanted::Object(check_all(self.fields, depth + 1, count)?),
            FieldKind::List | FieldKind::NestedList => {
                Wanted::List(check_all(self.fields, depth + 1, count)?)
            }
        };
        let selector = self.selector.filter(|text| !text.trim().is_empty());
        Ok(Field {
            selector: selector
                .map(|text| Selectors::parse(&[text]))
                .transpose()
                .map_err(Problem::request)?,
            name,
            value,
            transform: self.transform,
            default: self.default,
        })
    }
}

impl Fields {
    /// The objects of a page, in its order.
    ///
    /// # Errors
    /// If the selectors match too much of it.
    pub(super) fn objects(&self, dom: &Dom) -> Result<Vec<Value>, Problem> {
        let tree = Tree::new(dom);
        let mut budget = Budget {
            steps: MAX_STEPS,
            bytes: MAX_BYTES,
        };
        budget.spend(dom.len(), 0)?;
        let items = self.base.all(&tree, None);
        let mut objects = Vec::new();
        for item in items {
            let object = object(&self.fields, &tree, item, &mut budget)?;
            if !object.is_empty() {
                objects.push(object.into());
            }
        }
        Ok(objects)
    }
}

fn object(
    fields: &[Field],
    tree: &Tree<'_>,
    item: NodeId,
    budget: &mut Budget,
) -> Result<Map<String, Value>, Problem> {
    let mut members = Map::new();
    for field in fields {
        let value = field
            .value(tree, item, budget)?
            .or_else(|| field.default.clone());
        if let Some(value) = value {
            members.insert(field.name.clone(), value);
        }
    }
    Ok(members)
}

impl Field {
    fn value(
        &self,
        tree: &Tree<'_>,
        item: NodeId,
        budget: &mut Budget,
    ) -> Result<Option<Value>, Problem> {
        let dom = tree.dom;
        budget.spend(dom.end(item) - item.index(), 0)?;
        let found = match &self.selector {
            None => vec![item],
            Some(selector) => selector.all(tree, Some(item)),
        };
        if let Wanted::List(fields) = &self.value {
            let objects = found
                .into_iter()
                .map(|item| object(fields, tree, item, budget));
            let objects: Result<Vec<_>, _> = objects.collect();
            let objects: Vec<Value> = objects?.into_iter().map(Value::from).collect();
            return Ok((!objects.is_empty()).then(|| objects.into()));
        }
        let Some(&first) = found.first() else {
            return Ok(None);
        };
        let text = match &self.value {
            Wanted::List(_) | Wanted::Text => Some(text_of(dom, first)),
            Wanted::Attribute(name) => dom.attribute(first, name).map(str::to_owned),
            Wanted::Html => Some(dom.html_of(first)),
            Wanted::Regex(pattern) => first_match(pattern, &text_of(dom, first)),
            Wanted::Object(fields) => {
                let members = object(fields, tree, first, budget)?;
                return Ok((!members.is_empty()).then(|| members.into()));
            }
        };
        let Some(text) = text else { return Ok(None) };
        budget.spend(0, text.len())?;
        Ok(Some(self.changed(text).into()))
    }

    fn changed(&self, text: String) -> String {
        match self.transform {
            None => text,
            Some(Transform::Lowercase) => text.to_lowercase(),
            Some(Transform::Uppercase) => text.to_uppercase(),
            Some(Transform::Strip) => text.trim().to_owned(),
        }
    }
}

fn first_match(pattern: &Regex, text: &str) -> Option<String> {
    let found = pattern.captures(text)?;
    let part = found.get(1).or_else(|| found.get(0))?;
    Some(part.as_str().to_owned())
}

/// The text inside an element, with single spaces, also between blocks.
fn text_of(dom: &Dom, id: NodeId) -> String {
    let block_of = |text: NodeId| {
        let mut around = dom.ancestors(text);
        around.find(|outer| *outer == id || separates_text_blocks(dom.tag(*outer)))
    };
    let (mut whole, mut last) = (String::new(), None);
    for (text, content) in dom
        .descendants(id)
        .filter_map(|id| Some((id, dom.text(id)?)))
    {
        let block = block_of(text);
        if last.replace(block) != Some(block) {
            whole.push(' ');
        }
        whole.push_str(content);
    }
    let words: Vec<&str> = whole.split_whitespace().collect();
    words.join(" ")
}

/// Attributes to take from a page.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AttributesRequest {
    selectors: Vec<AttributeRequest>,
}

/// An attribute of the elements that a selector names.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct AttributeRequest {
    selector: String,
    attribute: String,
}

/// The values of an attribute.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct AttributeValues {
    selector: String,
    attribute: String,
    values: Vec<String>,
}

/// Attributes whose selectors were checked.
#[derive(Debug)]
pub(super) struct AttributeLists(Vec<(AttributeRequest, Selectors)>);

impl AttributesRequest {
    /// Checks the selectors.
    ///
    /// # Errors
    /// If one is wrong, or there are too many.
    pub(super) fn check(self) -> Result<AttributeLists, Problem> {
        if self.selectors.len() > MAX_FIELDS {
            let cause =
                format!("`selectors` has more than {MAX_FIELDS} entries; take several formats");
            return Err(Problem::request(cause));
        }
        let lists = self.selectors.into_iter().map(|request| {
            let selectors = Selectors::parse(&[&request.selector]).map_err(Problem::request)?;
            Ok((request, selectors))
        });
        Ok(AttributeLists(lists.collect::<Result<_, Problem>>()?))
    }
}

impl AttributeLists {
    /// The values on a page, in its order.
    pub(super) fn values(&self, dom: &Dom) -> Vec<AttributeValues> {
        let tree = Tree::new(dom);
        let values = |(request, selectors): &(AttributeRequest, Selectors)| {
            let name = request.attribute.to_lowercase();
            let found = selectors.all(&tree, None).into_iter();
            let found = found.filter_map(|id| dom.attribute(id, &name));
            AttributeValues {
                selector: request.selector.clone(),
                attribute: request.attribute.clone(),
                values: found.map(str::to_owned).collect(),
            }
        };
        self.0.iter().map(values).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use vclean_core::page::{Page, parse};

    const SHOP: &str =
        "<h1>Shop</h1><div class=item data-id=7><h2> Lamp\n one </h2><p>Price: <b>12.50 EUR</b></p>
        <ul><li>red<li>blue</ul></div><div class=item><h2>Chair</h2></div><div class=ad>none</div>";

    fn dom(html: &str) -> Dom {
        parse(&Page::from_html("x", html)).unwrap().dom
    }

    fn fields(request: Value) -> Result<Fields, Problem> {
        let request: FieldsRequest = serde_json::from_value(request).unwrap();
        request.check()
    }

    #[test]
    fn objects_have_their_fields() {
        let request = json!({
            "baseSelector": "div.item", "baseFields": [{ "name": "id", "type": "attribute", "attribute": "data-id" }],
            "fields": [
                { "name": "name", "selector": "h2", "type": "text", "transform": "uppercase" },
                { "name": "price", "selector": "p", "type": "regex", "pattern": "([0-9.]+) EUR", "default": null },
                { "name": "markup", "selector": "b", "type": "html" },
                { "name": "box", "type": "nested", "fields": [
                    { "name": "bold", "selector": "b", "type": "text" }, { "name": "all", "type": "text" },
                ] },
                { "name": "colors", "selector": "li", "type": "list", "fields": [{ "name": "color", "type": "text" }] },
                { "name": "stock", "selector": ".stock", "type": "text", "default": "none" },
            ],
        });
        let found = fields(request).unwrap().objects(&dom(SHOP)).unwrap();
        let lamp = json!({
            "id": "7", "name": "LAMP ONE", "price": "12.50", "markup": "<b>12.50 EUR</b>", "box": { "bold": "12.50 EUR", "all": "Lamp one Price: 12.50 EUR red blue" },
            "colors": [{ "color": "red" }, { "color": "blue" }], "stock": "none",
        });
        assert_eq!(
            found,
            [
                lamp,
                json!({ "name": "CHAIR", "box": { "all": "Chair" }, "stock": "none" })
            ]
        );
    }

    #[test]
    fn wrong_and_costly_requests_are_refused() {
        let with = |field: Value| json!({ "baseSelector": "div", "fields": [field] });
        for (field, cause) in [
            (
                json!({ "name": "a", "type": "attribute" }),
                "no `attribute`",
            ),
            (
                json!({ "name": "a", "type": "regex", "pattern": "(" }),
                "no regular expression",
            ),
            (json!({ "name": "a", "type": "nested" }), "no `fields`"),
            (
                json!({ "name": "a", "type": "text", "selector": "a:hover" }),
                "a:hover",
            ),
        ] {
            let problem = fields(with(field)).err().unwrap();
            assert!(problem.cause.contains(cause), "{}", problem.cause);
        }
        let mut field = json!({ "name": "a", "type": "text" });
        for _ in 0..12 {
            field = json!({ "name": "a", "type": "nested", "fields": [field] });
        }
        assert!(fields(with(field)).err().unwrap().cause.contains("levels"));
        let many: Vec<Value> = (0..100)
            .map(|number| json!({ "name": number.to_string(), "type": "text", "selector": "b" }))
            .collect();
        let request = json!({ "baseSelector": "*", "fields": many });
        let deep = dom(&("<div>".repeat(200) + &"<b>x</b>".repeat(20_000)));
        let problem = fields(request).unwrap().objects(&deep).err().unwrap();
        assert!(problem.cause.contains("too much"), "{}", problem.cause);
    }

    #[test]
    fn attributes_are_listed() {
        let request = json!({ "selectors": [{ "selector": ".item", "attribute": "DATA-ID" }, { "selector": "i", "attribute": "x" }] });
        let request: AttributesRequest = serde_json::from_value(request).unwrap();
        let found = request.check().unwrap().values(&dom(SHOP));
        let values: Vec<&[String]> = found.iter().map(|list| list.values.as_slice()).collect();
        assert_eq!(values, [&["7".to_owned()][..], &[]]);
    }
}
