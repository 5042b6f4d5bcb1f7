//! Labels as the JSON of Label Studio (labelstud.io): a task per page, with regions of
//! `HyperTextLabels`.
//!
//! Its XPaths begin below the `body`, its offsets count UTF-16 code units. A task carries the page
//! as HTML, so that the file can be opened there with this labelling interface:
//!
//! ```xml
//! <View>
//!   <HyperTextLabels name="label" toName="html">
//!     <Label value="content"/> <Label value="boilerplate"/>
//!     <Label value="comments"/> <Label value="unsure"/>
//!   </HyperTextLabels>
//!   <HyperText name="html" value="$html"/>
//! </View>
//! ```

use super::passage::{LabelledPage, LabelledPassage, TextPoint};
use crate::annotate::label::{BlockLabel, Mark};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Where the XPaths of Label Studio begin.
const BODY: &str = "/html[1]/body[1]";

#[derive(Deserialize)]
struct Task {
    #[serde(default)]
    data: Value,
    #[serde(default)]
    annotations: Vec<Annotation>,
}

#[derive(Deserialize)]
struct Annotation {
    #[serde(default)]
    result: Vec<Region>,
    #[serde(default)]
    was_cancelled: bool,
}

#[derive(Deserialize)]
struct Region {
    #[serde(default)]
    value: Value,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct RegionValue {
    start: String,
    end: String,
    start_offset: usize,
    end_offset: usize,
    #[serde(default)]
    text: String,
    #[serde(
        default,
        rename = "hypertextlabels",
        alias = "labels",
        alias = "htmllabels"
    )]
    labels: Vec<String>,
}

/// Writes pages. The offsets of a passage are in characters; those of Label Studio differ from them
/// only beyond the Basic Multilingual Plane, where `utf16` has the number of code units for a node
/// and a number of characters.
pub(super) fn write(
    pages: &[LabelledPage],
    utf16: impl Fn(&LabelledPage, &TextPoint) -> usize,
) -> String {
    let region = |page: &LabelledPage, number: usize, passage: &LabelledPassage| {
        let below_body = |path: &str| path.strip_prefix(BODY).unwrap_or(path).to_owned();
        let labels = [Some(passage.label.name()), passage.mark.map(Mark::name)];
        let value = RegionValue {
            start: below_body(&passage.start.xpath),
            end: below_body(&passage.end.xpath),
            start_offset: utf16(page, &passage.start),
            end_offset: utf16(page, &passage.end),
            text: passage.text.clone(),
            labels: labels.into_iter().flatten().map(str::to_owned).collect(),
        };
        json!({
            "id": format!("block{number}"), "from_name": "label", "to_name": "html", "type": "hypertextlabels",
            "value": value,
        })
    };
    let task = |page: &LabelledPage| {
        let result: Vec<Value> = page
            .passages
            .iter()
            .enumerate()
            .map(|(number, passage)| region(page, number, passage))
            .collect();
        json!({
            "data": { "id": page.id, "url": page.url, "annotator": page.annotator, "html": page.html },
            "annotations": [{ "result": result }],
        })
    };
    let tasks: Vec<Value> = pages.iter().map(task).collect();
    format!(
        "{}\n",
        serde_json::to_string_pretty(&tasks).expect("tasks have string keys")
    )
}

/// Reads pages. Offsets are left in UTF-16 code units, which is enough to find blocks. Of several
/// annotations of a task, the last one counts.
///
/// # Errors
/// The task or region that cannot be read, and why.
pub(super) fn read(text: &str) -> Result<Vec<LabelledPage>, String> {
    let tasks: Vec<Task> = serde_json::from_str(text).map_err(|error| error.to_string())?;
    tasks
        .into_iter()
        .enumerate()
        .map(|(index, task)| page(index + 1, task))
        .collect()
}

fn page(number: usize, task: Task) -> Result<LabelledPage, String> {
    let member = |name: &str| {
        task.data
            .get(name)
            .and_then(Value::as_str)
            .map(str::to_owned)
    };
    let id = member("id")
        .or_else(|| member("page"))
        .or_else(|| member("url"));
    let id = id.ok_or_else(|| {
        format!("task {number} does not name its page; its data needs a member id or url")
    })?;
    let annotation = task
        .annotations
        .into_iter()
        .rfind(|annotation| !annotation.was_cancelled);
    let regions = annotation
        .map(|annotation| annotation.result)
        .unwrap_or_default();
    let mut passages = Vec::new();
    for (region_number, region) in regions.into_iter().enumerate() {
        let fail =
            |cause: String| format!("region {} of task {number}: {cause}", region_number + 1);
        let value: RegionValue =
            serde_json::from_value(region.value).map_err(|error| fail(error.to_string()))?;
        passages.push(passage(value).map_err(fail)?);
    }
    Ok(LabelledPage {
        url: member("url"),
        annotator: member("annotator").unwrap_or_default(),
        id,
        html: member("html"),
        passages,
    })
}

fn passage(value: RegionValue) -> Result<LabelledPassage, String> {
    let names: Vec<String> = value
        .labels
        .iter()
        .map(|label| label.to_lowercase().replace([' ', '-'], "_"))
        .collect();
    let label = names.iter().find_map(|name| BlockLabel::from_name(name));
    let label = label.ok_or_else(|| {
        let known: Vec<&str> = BlockLabel::ALL.map(BlockLabel::name).to_vec();
        format!(
            "{:?} is no label; the labels are {}",
            value.labels.join(", "),
            known.join(", ")
        )
    })?;
    let whole = |path: &str| {
        if path.starts_with("/html") {
            path.to_owned()
        } else {
            format!("{BODY}{path}")
        }
    };
    Ok(LabelledPassage {
        start: TextPoint {
            xpath: whole(&value.start),
            offset: value.start_offset,
        },
        end: TextPoint {
            xpath: whole(&value.end),
            offset: value.end_offset,
        },
        text: value.text,
        label,
        mark: names.iter().find_map(|name| Mark::from_name(name)),
    })
}
