//! The model as a file: written by training, read completely and checked before it is used.
//!
//! File format 1, little endian, in this order:
//!
//! - 13 bytes: `vclean model\n`
//! - u32: format version
//! - u32: length of the header
//! - header in JSON: name, columns, threshold, precision curve, provenance, keywords if the model
//!   has any, and the shapes of the following parts
//! - for each stage: column numbers (u32), ranges (f32 low, f32 high), means (f32), and then
//!   - for a support vector machine: gamma, rho (f32), weights (f32), support vectors (i16, times
//!     1.5 / 32767)
//!   - for a logistic regression: weights, offset (f32)
//!   - for boosted trees: offset (f32), per node in preorder a column (u16, 65535 for a leaf), then
//!     per node a value (f32)
//!   - for a network: its parameters (f32)
//! - the comment stage in the same format, if the header has one; its stage 0 is the last margin of
//!   the stages before
//! - words of names and tags, if the header counts any: each word (u128), then its weight by
//!   distance (f32)
//! - u32: CRC-32 of all previous bytes
//!
//! Support vectors are rounded to the 16-bit grid when they are fitted, so a model in memory and
//! its file make the same decisions.

use super::boosted::Boosted;
use super::calibrate::{Platt, PrecisionCurve};
use super::comments::CommentStage;
use super::model::{Logistic, Machine, MarginInput, Model, Provenance, Stage};
use super::scaler::Scaler;
use super::sequence::{Design, Sequence};
use super::svm::{Svm, from_grid, to_grid};
use super::tree::{Nodes, Tree};
use crate::capture::Engine;
use crate::error::ModelError;
use crate::features::is_in_group;
use crate::features::markup::{DISTANCES, MarkupWords};
use crate::hash::checksum;
use crate::language::Keywords;
use crate::target::TargetRule;
use ndarray::{Array1, Array2};
use serde::{Deserialize, Serialize};

/// Version of the file format that this library writes; it reads only this one.
pub const FORMAT_VERSION: u32 = 1;

const MAGIC: &[u8; 13] = b"vclean model\n";

#[derive(Serialize, Deserialize)]
struct Header {
    name: String,
    columns: Vec<String>,
    stages: Vec<StageHeader>,
    platt: Platt,
    threshold: f32,
    target_rule: TargetRule,
    engine: Engine,
    curve: PrecisionCurve,
    provenance: Provenance,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    keywords: Option<Keywords>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    comments: Option<CommentHeader>,
    /// Number of words of names and tags, if the model reads them; 0 if it was trained on too few
    /// sites.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    markup: Option<usize>,
}

/// The shape of the comment stage and its calibration.
#[derive(Serialize, Deserialize)]
struct CommentHeader {
    stage: StageHeader,
    platt: Platt,
}

/// Index of the comment stage; the content margins that it reads are those of stage 0.
const COMMENT_STAGE: usize = 1;

impl Model {
    /// The model as a file's bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let header = Header {
            name: self.name.clone(),
            columns: self.columns.clone(),
            stages: self
                .stages
                .iter()
                .enumerate()
                .map(|(index, stage)| StageHeader::describe(index, stage))
                .collect(),
            platt: self.platt,
            threshold: self.threshold,
            target_rule: self.target_rule,
            engine: self.engine,
            curve: self.curve.clone(),
            provenance: self.provenance.clone(),
            keywords: self.keywords.clone(),
            comments: self.comments.as_ref().map(|comments| CommentHeader {
                stage: StageHeader::describe(COMMENT_STAGE, &comments.stage),
                platt: comments.platt,
            }),
            markup: self.markup.as_ref().map(|markup| markup.words().len()),
        };
        let header = serde_json::to_vec(&header).expect("a header has string keys only");
        let mut bytes = MAGIC.to_vec();
        bytes.extend(FORMAT_VERSION.to_le_bytes());
        bytes.extend((header.len() as u32).to_le_bytes());
        bytes.extend(header);
        for stage in self
            .stages
            .iter()
            .chain(self.comments.as_ref().map(|comments| &comments.stage))
        {
            write_stage(stage, &mut bytes);
        }
        for (word, weights) in self.markup.iter().flat_map(MarkupWords::words) {
            bytes.extend(word.to_le_bytes());
            bytes.extend(weights.iter().flat_map(|weight| weight.to_le_bytes()));
        }
        let sum = checksum(&bytes);
        bytes.extend(sum.to_le_bytes());
        bytes
    }

    /// Reads a file's bytes and checks all of them.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ModelError> {
        let bad = |cause: &str| ModelError::Format(cause.to_owned());
        let Some(rest) = bytes.strip_prefix(MAGIC) else {
            return Err(bad(
                "it does not begin like one; name a file that vclean lab train wrote",
            ));
        };
        let mut reader = Reader { rest };
        let version = u32::from_le_bytes(reader.take()?);
        if version != FORMAT_VERSION {
            return Err(ModelError::Format(format!(
                "it has format {version}, this version reads {FORMAT_VERSION}; use the version that wrote it or train again"
            )));
        }
        let whole = bytes
            .len()
            .checked_sub(4)
            .ok_or_else(|| bad("it is cut off"))?;
        if checksum(&bytes[..whole]).to_le_bytes() != bytes[whole..] {
            return Err(bad(
                "the checksum does not match, the file is damaged; copy it again",
            ));
        }
        let length = u32::from_le_bytes(reader.take()?) as usize;
        let header: Header = serde_json::from_slice(reader.bytes(length)?)
            .map_err(|error| ModelError::Format(format!("its header cannot be read: {error}")))?;
        let needs_keywords = header
            .columns
            .iter()
            .any(|column| is_in_group(column, "linguistic.keyword"));
        if needs_keywords && header.keywords.is_none() {
            return Err(bad(
                "it reads keywords and has none; train it again with the language-bound features",
            ));
        }
        let stages: Vec<Stage> = header
            .stages
            .iter()
            .enumerate()
            .map(|(index, stage)| reader.stage(stage, header.columns.len(), index))
            .collect::<Result<_, _>>()?;
        let read_comments = |of_stage: CommentHeader| {
            let stage = reader.stage(&of_stage.stage, header.columns.len(), COMMENT_STAGE)?;
            Ok(CommentStage {
                stage,
                platt: of_stage.platt,
            })
        };
        let comments = header.comments.map(read_comments).transpose()?;
        let markup = header
            .markup
            .map(|words| reader.markup(words))
            .transpose()?;
        if markup.is_none()
            && header
                .columns
                .iter()
                .any(|column| is_in_group(column, "markup"))
        {
            return Err(bad(
                "it reads words of names and tags and has none; train it again",
            ));
        }
        if stages.is_empty() || reader.rest.len() != 4 {
            return Err(bad("its parts have other sizes than its header says"));
        }
        Ok(Self {
            name: header.name,
            columns: header.columns,
            stages,
            platt: header.platt,
            threshold: header.threshold,
            target_rule: header.target_rule,
            engine: header.engine,
            curve: header.curve,
            provenance: header.provenance,
            keywords: header.keywords,
            comments,
            markup,
        })
    }
}

/// Maximum number of columns, rows and support vectors in a file, so that a damaged header cannot
/// make the reader allocate all memory.
const MAX_COUNT: usize = 1 << 20;
/// Maximum number of stages that a stage reads.
const MAX_READS: usize = 16;

/// The shape of a stage, in the header of the file.
#[derive(Serialize, Deserialize)]
struct StageHeader {
    columns: usize,
    /// True if it reads margins: those of the stage before, unless `reads` lists others.
    reads_margins: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    reads: Vec<usize>,
    kind: MachineKind,
    support_vectors: usize,
    /// Number of trees; `nodes` is their total number of nodes.
    #[serde(default, skip_serializing_if = "is_zero")]
    trees: usize,
    #[serde(default, skip_serializing_if = "is_zero")]
    nodes: usize,
    /// Design of a network; absent for other machines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    design: Option<Design>,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // As serde calls it.
fn is_zero(count: &usize) -> bool {
    *count == 0
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum MachineKind {
    Svm,
    Logistic,
    Boosted,
    Sequence,
}

impl StageHeader {
    fn describe(index: usize, stage: &Stage) -> Self {
        let (kind, support_vectors, (trees, nodes)) = match &stage.machine {
            Machine::Svm(svm) => (MachineKind::Svm, svm.support_vectors(), (0, 0)),
            Machine::Logistic(_) => (MachineKind::Logistic, 0, (0, 0)),
            Machine::Boosted(boosted) => {
                let nodes = boosted.trees.iter().map(|tree| tree.nodes().len()).sum();
                (MachineKind::Boosted, 0, (boosted.trees.len(), nodes))
            }
            Machine::Sequence(_) => (MachineKind::Sequence, 0, (0, 0)),
        };
        let design = match &stage.machine {
            Machine::Sequence(network) => Some(network.design),
            _ => None,
        };
        let (columns, reads_margins) = (stage.columns.len(), !stage.reads.is_empty());
        let reads = if index > 0 && stage.reads == [index - 1] {
            Vec::new()
        } else {
            stage.reads.clone()
        };
        Self {
            columns,
            reads_margins,
            reads,
            kind,
            support_vectors,
            trees,
            nodes,
            design,
        }
    }
}

/// Writes the numbers of a stage; the header has their counts.
fn write_stage(stage: &Stage, bytes: &mut Vec<u8>) {
    stage
        .columns
        .iter()
        .for_each(|&column| bytes.extend((column as u32).to_le_bytes()));
    let mut floats = |values: &mut dyn Iterator<Item = f32>| {
        values.for_each(|value| bytes.extend(value.to_le_bytes()));
    };
    floats(&mut stage.scaler.low.iter().copied());
    floats(&mut stage.scaler.high.iter().copied());
    floats(&mut stage.means.iter().copied());
    match &stage.machine {
        Machine::Svm(svm) => {
            floats(&mut [svm.gamma(), svm.rho].into_iter());
            floats(&mut svm.weights.iter().copied());
            svm.vectors
                .iter()
                .for_each(|&value| bytes.extend(to_grid(value).to_le_bytes()));
        }
        Machine::Logistic(logistic) => {
            floats(&mut logistic.weights.iter().copied().chain([logistic.offset]));
        }
        Machine::Boosted(boosted) => {
            floats(&mut [boosted.offset].into_iter());
            let nodes = Nodes::from_trees(&boosted.trees);
            nodes
                .columns
                .iter()
                .for_each(|column| bytes.extend(column.to_le_bytes()));
            nodes
                .values
                .iter()
                .for_each(|value| bytes.extend(value.to_le_bytes()));
        }
        Machine::Sequence(network) => floats(&mut network.params.iter().copied()),
    }
}

/// Reads a file's bytes from start to end.
struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    fn bytes(&mut self, count: usize) -> Result<&'a [u8], ModelError> {
        let (taken, rest) = self
            .rest
            .split_at_checked(count)
            .ok_or_else(|| ModelError::Format("it is cut off".to_owned()))?;
        self.rest = rest;
        Ok(taken)
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], ModelError> {
        Ok(self
            .bytes(N)?
            .try_into()
            .expect("as many bytes as asked for"))
    }

    fn numbers<const N: usize, T>(
        &mut self,
        count: usize,
        read: fn([u8; N]) -> T,
    ) -> Result<Vec<T>, ModelError> {
        let bytes = self.bytes(count.saturating_mul(N))?;
        Ok(bytes
            .chunks_exact(N)
            .map(|chunk| read(chunk.try_into().expect("chunks of N bytes")))
            .collect())
    }

    fn floats(&mut self, count: usize) -> Result<Vec<f32>, ModelError> {
        let values = self.numbers(count, f32::from_le_bytes)?;
        if values.iter().all(|value| value.is_finite()) {
            Ok(values)
        } else {
            Err(ModelError::Format(
                "it holds a value that is no number; train again".to_owned(),
            ))
        }
    }

    fn markup(&mut self, count: usize) -> Result<MarkupWords, ModelError> {
        let words = (0..count).map(|_| Ok((u128::from_le_bytes(self.take()?), self.weights()?)));
        Ok(MarkupWords::new(words.collect::<Result<_, ModelError>>()?))
    }

    fn weights(&mut self) -> Result<[f32; DISTANCES], ModelError> {
        Ok(self
            .floats(DISTANCES)?
            .try_into()
            .expect("as many as asked for"))
    }

    fn trees(&mut self, header: &StageHeader, inputs: usize) -> Result<Vec<Tree>, ModelError> {
        let columns = self.numbers(header.nodes, u16::from_le_bytes)?;
        let nodes = Nodes {
            columns,
            values: self.floats(header.nodes)?,
        };
        let trees = nodes
            .trees(header.trees, inputs)
            .filter(|trees| !trees.is_empty());
        trees.ok_or_else(|| {
            ModelError::Format("its trees have another shape than its header says".to_owned())
        })
    }

    fn stage(
        &mut self,
        header: &StageHeader,
        columns: usize,
        index: usize,
    ) -> Result<Stage, ModelError> {
        let bad = |cause: &str| ModelError::Format(cause.to_owned());
        if header.columns > MAX_COUNT
            || header.support_vectors > MAX_COUNT
            || (index == 0 && header.reads_margins)
        {
            return Err(bad("its header names impossible sizes"));
        }
        let reads = match (header.reads_margins, header.reads.as_slice()) {
            (false, []) => Vec::new(),
            (true, []) => vec![index - 1],
            (true, named)
                if named.len() < MAX_READS && named.iter().all(|&stage| stage < index) =>
            {
                named.to_vec()
            }
            _ => return Err(bad("a stage reads margins that there are not")),
        };
        let own: Vec<usize> = self
            .numbers(header.columns, u32::from_le_bytes)?
            .into_iter()
            .map(|column| column as usize)
            .collect();
        if own.iter().any(|&column| column >= columns) {
            return Err(bad("a stage reads a column that the model does not name"));
        }
        let margin_input = if header.kind == MachineKind::Sequence {
            MarginInput::Own
        } else {
            MarginInput::Context
        };
        let inputs = own.len() + reads.len() * margin_input.columns();
        let scaler = Scaler {
            low: self.floats(inputs)?,
            high: self.floats(inputs)?,
        };
        let means = self.floats(inputs)?;
        let machine = self.machine(header, inputs)?;
        Ok(Stage {
            columns: own,
            reads,
            scaler,
            means,
            machine,
        })
    }

    fn machine(&mut self, header: &StageHeader, inputs: usize) -> Result<Machine, ModelError> {
        let bad = |cause: &str| ModelError::Format(cause.to_owned());
        Ok(match header.kind {
            MachineKind::Svm => {
                let (gamma, rho) = (self.floats(1)?[0], self.floats(1)?[0]);
                if !(gamma > 0.0 && gamma <= 1e4) {
                    return Err(ModelError::Format(format!(
                        "its support vector machine has another kernel than the Gaussian one, the only one that is \
                         read: gamma is {gamma}, allowed is above 0, up to 10000; train it again"
                    )));
                }
                let weights = Array1::from(self.floats(header.support_vectors)?);
                let vectors = self.numbers(
                    header.support_vectors.saturating_mul(inputs),
                    i16::from_le_bytes,
                )?;
                let vectors = vectors.into_iter().map(from_grid).collect();
                let vectors = Array2::from_shape_vec((header.support_vectors, inputs), vectors)
                    .map_err(|_| {
                        bad("its support vectors have another shape than its header says")
                    })?;
                Machine::Svm(Svm::new(gamma, rho, vectors, weights))
            }
            MachineKind::Logistic => {
                let mut weights = self.floats(inputs + 1)?;
                let offset = weights.pop().unwrap_or(0.0);
                Machine::Logistic(Logistic { weights, offset })
            }
            MachineKind::Boosted => {
                let offset = self.floats(1)?[0];
                Machine::Boosted(Boosted::new(offset, self.trees(header, inputs)?))
            }
            MachineKind::Sequence => {
                let design = header
                    .design
                    .ok_or_else(|| bad("it has a network without a design"))?;
                design.check().map_err(|error| {
                    ModelError::Format(format!("its network cannot be: {error}"))
                })?;
                let params = self.floats(design.size(inputs))?;
                let network = Sequence::from_parts(design, inputs, params);
                Machine::Sequence(
                    network.ok_or_else(|| bad("it has a network that reads nothing"))?,
                )
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classify::decision::PageKind;
    use crate::classify::model::tests::sample;
    use crate::classify::smooth::PageShape;
    use crate::classify::tree::tests::random_tree;
    use crate::features::FeatureTable;
    use proptest::prelude::*;

    #[test]
    fn a_model_read_from_its_file_is_the_same() {
        let (model, table, shape) = sample();
        let read = Model::from_bytes(&model.to_bytes()).unwrap();
        assert_eq!(read, model);
        assert_eq!(
            read.decide(&table, &shape).unwrap(),
            model.decide(&table, &shape).unwrap()
        );
        let folder = tempfile::tempdir().unwrap();
        model.save(&folder.path().join("x.model")).unwrap();
        assert_eq!(Model::load(&folder.path().join("x.model")).unwrap(), model);
        assert!(
            Model::load(&folder.path().join("none"))
                .unwrap_err()
                .to_string()
                .contains("none")
        );
    }

    #[test]
    fn words_of_names_and_tags_are_kept_in_the_file_and_missing_ones_are_refused() {
        let (mut model, ..) = sample();
        let plain = model.to_bytes();
        model.columns[0] = "markup.sum".to_owned();
        model.markup = Some(MarkupWords::new(vec![
            (7, [0.5, -0.5, 0.0, 1.0]),
            (u128::MAX, [-1.0; DISTANCES]),
        ]));
        let bytes = model.to_bytes();
        assert_eq!(Model::from_bytes(&bytes).unwrap(), model);
        assert_eq!(
            Model::from_bytes(&bytes).unwrap().measuring().markup,
            model.markup.as_ref()
        );
        assert!(
            !String::from_utf8_lossy(&plain).contains("markup"),
            "a model without them is the file it was"
        );
        // Training on few sites yields no words; the model must still be readable.
        model.markup = Some(MarkupWords::default());
        assert_eq!(Model::from_bytes(&model.to_bytes()).unwrap(), model);
        model.markup = None;
        let error = Model::from_bytes(&model.to_bytes())
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("reads words of names and tags and has none"),
            "{error}"
        );
    }

    #[test]
    fn keywords_are_kept_in_the_file_and_missing_ones_are_refused() {
        use crate::language::keywords::{Keyword, LanguageKeywords};
        let (mut model, table, shape) = sample();
        let plain = model.to_bytes();
        assert!(
            !String::from_utf8_lossy(&plain).contains("keywords"),
            "a model without them is the file it was"
        );
        let keyword = |word: &str, keyness| Keyword {
            word: word.into(),
            keyness,
        };
        let of_language = LanguageKeywords {
            language: "en".into(),
            reference: "made up".into(),
            content: vec![keyword("however", 1.234_567_9), keyword("naïve", 0.1)],
            boilerplate: vec![keyword("login", f32::MIN_POSITIVE)],
        };
        model.keywords = Some(Keywords {
            languages: vec![of_language],
        });
        model.provenance.languages = vec!["en".into()];
        let read = Model::from_bytes(&model.to_bytes()).unwrap();
        assert_eq!(read, model);
        assert_eq!(
            read.decide(&table, &shape).unwrap(),
            model.decide(&table, &shape).unwrap()
        );
        assert!(!read.measuring().language_bound && read.measuring().keywords.is_some());
        model.columns[2] = "linguistic.keyword.balance".into();
        assert!(
            Model::from_bytes(&model.to_bytes())
                .unwrap()
                .measuring()
                .language_bound
        );
        model.keywords = None;
        assert!(
            Model::from_bytes(&model.to_bytes())
                .unwrap_err()
                .to_string()
                .contains("language-bound")
        );
    }

    #[test]
    fn the_built_in_models_are_written_as_they_were_read() {
        for (name, bytes) in crate::pipeline::BUILT_IN {
            assert!(
                Model::from_bytes(bytes).unwrap().to_bytes() == *bytes,
                "{name}"
            );
        }
    }

    #[test]
    fn trees_are_kept_in_the_file_and_wrong_shapes_are_refused() {
        let (mut model, table, shape) = sample();
        let mut random = fastrand::Rng::with_seed(4);
        let trees = (0..3).map(|_| random_tree(2, 3, &mut random)).collect();
        model.stages[0].machine = Machine::Boosted(Boosted::new(0.25, trees));
        let bytes = model.to_bytes();
        let read = Model::from_bytes(&bytes).unwrap();
        assert_eq!(read, model);
        assert_eq!(
            read.decide(&table, &shape).unwrap(),
            model.decide(&table, &shape).unwrap()
        );
        // A leaf becomes a split on a missing column, with a correct checksum.
        let leaf = bytes
            .windows(2)
            .rposition(|pair| pair == [255, 255])
            .unwrap();
        let mut damaged = bytes[..bytes.len() - 4].to_vec();
        damaged[leaf] = 0;
        damaged.extend(checksum(&damaged).to_le_bytes());
        assert!(
            Model::from_bytes(&damaged)
                .unwrap_err()
                .to_string()
                .contains("trees")
        );
    }

    #[test]
    fn another_kernel_is_refused_by_name() {
        let (mut model, ..) = sample();
        let Machine::Svm(svm) = &model.stages[0].machine else {
            panic!("another machine")
        };
        model.stages[0].machine =
            Machine::Svm(Svm::new(0.0, 0.0, svm.vectors.clone(), svm.weights.clone()));
        let error = Model::from_bytes(&model.to_bytes())
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("another kernel than the Gaussian one") && error.contains("gamma is 0"),
            "{error}"
        );
    }

    #[test]
    fn newer_and_foreign_files_are_refused_by_name() {
        let mut bytes = sample().0.to_bytes();
        bytes[13] = 9;
        assert!(
            Model::from_bytes(&bytes)
                .unwrap_err()
                .to_string()
                .contains("format 9")
        );
        assert!(
            Model::from_bytes(b"PK")
                .unwrap_err()
                .to_string()
                .contains("vclean lab train")
        );
    }

    /// A model whose third stage is a network, with the table and shape of a page.
    fn with_network() -> (Model, FeatureTable, PageShape) {
        let (mut model, table, shape) = sample();
        let mut random = fastrand::Rng::with_seed(7);
        let design = Design {
            width: 8,
            window: 32,
            blocks: "c1+c2+c4+page".parse().unwrap(),
        };
        let params = (0..design.size(4)).map(|_| random.f32() - 0.5).collect();
        let network = Sequence::from_parts(design, 4, params).unwrap();
        let scaler = Scaler {
            low: vec![0.0, 0.0, -3.0, -3.0],
            high: vec![10.0, 10.0, 3.0, 3.0],
        };
        model.stages.push(Stage {
            columns: vec![0, 2],
            reads: vec![0, 1],
            means: vec![0.0; 4],
            scaler,
            machine: Machine::Sequence(network),
        });
        (model, table, shape)
    }

    /// The file with a changed header of its last stage and a correct checksum.
    fn with_header(bytes: &[u8], change: impl Fn(&mut serde_json::Value)) -> Vec<u8> {
        let length = u32::from_le_bytes(bytes[17..21].try_into().unwrap()) as usize;
        let mut header: serde_json::Value =
            serde_json::from_slice(&bytes[21..21 + length]).unwrap();
        change(header["stages"].as_array_mut().unwrap().last_mut().unwrap());
        let header = serde_json::to_vec(&header).unwrap();
        let mut changed = bytes[..17].to_vec();
        changed.extend((header.len() as u32).to_le_bytes());
        changed.extend(header);
        changed.extend(&bytes[21 + length..bytes.len() - 4]);
        changed.extend(checksum(&changed).to_le_bytes());
        changed
    }

    #[test]
    fn a_network_is_kept_in_the_file() {
        let (model, table, shape) = with_network();
        let read = Model::from_bytes(&model.to_bytes()).unwrap();
        assert_eq!(read, model);
        assert_eq!(
            read.decide(&table, &shape).unwrap(),
            model.decide(&table, &shape).unwrap()
        );
        let kinds = read.kinds(&table, &shape).unwrap().unwrap();
        assert!(
            (kinds.iter().sum::<f32>() - 1.0).abs() < 1e-5 && kinds[PageKind::Forum.index()] > 0.0
        );
        assert_eq!(sample().0.kinds(&table, &shape).unwrap(), None);
        assert!(
            !read.reasons(&table, &[3], 2).unwrap()[0].is_empty(),
            "the first stage explains"
        );
    }

    #[test]
    fn damaged_headers_of_networks_are_named() {
        type Change<'a> = &'a dyn Fn(&mut serde_json::Value);
        let bytes = with_network().0.to_bytes();
        assert_eq!(with_header(&bytes, |_| {}).len(), bytes.len());
        let error = |change: &dyn Fn(&mut serde_json::Value)| {
            Model::from_bytes(&with_header(&bytes, change))
                .unwrap_err()
                .to_string()
        };
        let cases: [(Change<'_>, &str); 7] = [
            (
                &|stage| stage["design"]["width"] = 4_000_000_000u64.into(),
                "its network cannot be: width is 4000000000",
            ),
            (
                &|stage| stage["design"]["window"] = 0.into(),
                "its network cannot be: window is 0",
            ),
            (
                &|stage| stage["design"]["width"] = 512.into(),
                "it is cut off",
            ),
            (
                &|stage| stage["design"]["width"] = 4.into(),
                "its parts have other sizes than its header says",
            ),
            (
                &|stage| stage["design"]["blocks"] = "c1+lstm".into(),
                "there is no block lstm",
            ),
            (
                &|stage| stage["design"] = serde_json::Value::Null,
                "it has a network without a design",
            ),
            (
                &|stage| stage["columns"] = 9_000_000_000u64.into(),
                "impossible sizes",
            ),
        ];
        for (change, expected) in cases {
            let found = error(change);
            assert!(found.contains(expected), "{found}");
        }
        let mut holes = bytes[..bytes.len() - 4].to_vec();
        let last = holes.len() - 4;
        holes[last..].copy_from_slice(&f32::NAN.to_le_bytes());
        holes.extend(checksum(&holes).to_le_bytes());
        assert!(
            Model::from_bytes(&holes)
                .unwrap_err()
                .to_string()
                .contains("a value that is no number")
        );
    }

    proptest! {
        #[test]
        fn damage_is_noticed(at in 0usize..3000, bit in 0u8..8, cut in 0usize..3000) {
            let bytes = sample().0.to_bytes();
            let mut damaged = bytes.clone();
            damaged[at % bytes.len()] ^= 1 << bit;
            prop_assert!(Model::from_bytes(&damaged).is_err());
            prop_assert!(Model::from_bytes(&bytes[..cut % bytes.len()]).is_err());
        }
    }
}
