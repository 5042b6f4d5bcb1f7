//! The model as a file: written by training, read whole and checked before it decides on a page.
//!
//! File format 1, little endian:
//!
//! | part | content |
//! |---|---|
//! | 13 bytes | `vclean model\n` |
//! | u32 | format version |
//! | u32 | length of the header |
//! | header | JSON: name, columns, threshold, precision curve, provenance, keywords if it has any, the shapes of what follows |
//! | per stage | column numbers (u32); ranges (f32 low, f32 high); means (f32); then of a machine: gamma (0 where the header names another kernel than the Gaussian), rho (f32), weights (f32), support vectors (i16, times 1.5 / 32767); of a logistic regression: weights, offset (f32); of trees: offset if boosted (f32), per node in preorder a column (u16, 65535 for a leaf), then per node a value (f32); of a network: its parameters (f32) |
//! | the comment stage | as a stage, if the header names one; its stage 0 is the last margin of the stages before |
//! | u32 | CRC-32 of all before |
//!
//! Support vectors are put on the 16-bit grid when they are fitted, so a model in memory and its file give the same
//! decisions.

use super::calibrate::Platt;
use super::comments::CommentStage;
use super::curve::PrecisionCurve;
use super::file_format::FORMAT_VERSION;
use super::model::{Model, Provenance};
use super::stage::Stage;
use super::stage_file::{self, Reader, StageHeader};
use crate::capture::Engine;
use crate::error::ModelError;
use crate::features::is_in_group;
use crate::language::Keywords;
use crate::target::TargetRule;
use serde::{Deserialize, Serialize};

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
    #[serde(default, skip_serializing_if = "Option::is_none")]
    curve: Option<PrecisionCurve>,
    provenance: Provenance,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    keywords: Option<Keywords>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    comments: Option<CommentHeader>,
}

/// The shape of the comment stage, and its calibration.
#[derive(Serialize, Deserialize)]
struct CommentHeader {
    stage: StageHeader,
    platt: Platt,
}

/// Number of the comment stage among the stages that it knows: the margins before it are those of stage 0.
const COMMENT_STAGE: usize = 1;

impl Model {
    /// The model as a file's bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let header = Header {
            name: self.name.clone(),
            columns: self.columns.clone(),
            stages: self.stages.iter().enumerate().map(|(index, stage)| StageHeader::describe(index, stage)).collect(),
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
        };
        let header = serde_json::to_vec(&header).expect("a header has string keys only");
        let mut bytes = MAGIC.to_vec();
        bytes.extend(FORMAT_VERSION.to_le_bytes());
        bytes.extend((header.len() as u32).to_le_bytes());
        bytes.extend(header);
        for stage in self.stages.iter().chain(self.comments.as_ref().map(|comments| &comments.stage)) {
            stage_file::write(stage, &mut bytes);
        }
        let sum = checksum(&bytes);
        bytes.extend(sum.to_le_bytes());
        bytes
    }

    /// Reads a file's bytes and checks them whole.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ModelError> {
        let bad = |cause: &str| ModelError::Format(cause.to_owned());
        let Some(rest) = bytes.strip_prefix(MAGIC) else {
            return Err(bad("it does not begin like one; name a file that vclean train wrote"));
        };
        let mut reader = Reader { rest };
        let version = u32::from_le_bytes(reader.take()?);
        if version != FORMAT_VERSION {
            return Err(ModelError::Format(format!(
                "it has format {version}, this version reads {FORMAT_VERSION}; use the version that wrote it or train again"
            )));
        }
        let whole = bytes.len().checked_sub(4).ok_or_else(|| bad("it is cut off"))?;
        if checksum(&bytes[..whole]).to_le_bytes() != bytes[whole..] {
            return Err(bad("the checksum does not match, the file is damaged; copy it again"));
        }
        let length = u32::from_le_bytes(reader.take()?) as usize;
        let header: Header = serde_json::from_slice(reader.bytes(length)?)
            .map_err(|error| ModelError::Format(format!("its header cannot be read: {error}")))?;
        let needs_keywords = header.columns.iter().any(|column| is_in_group(column, "linguistic.keyword"));
        if needs_keywords && header.keywords.is_none() {
            return Err(bad("it reads keywords and has none; train it again with the language-bound features"));
        }
        let stages: Vec<Stage> = header
            .stages
            .iter()
            .enumerate()
            .map(|(index, stage)| reader.stage(stage, header.columns.len(), index))
            .collect::<Result<_, _>>()?;
        let read_comments = |of_stage: CommentHeader| {
            let stage = reader.stage(&of_stage.stage, header.columns.len(), COMMENT_STAGE)?;
            Ok(CommentStage { stage, platt: of_stage.platt })
        };
        let comments = header.comments.map(read_comments).transpose()?;
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
        })
    }
}

pub(super) fn checksum(bytes: &[u8]) -> u32 {
    let mut crc = flate2::Crc::new();
    crc.update(bytes);
    crc.sum()
}

#[cfg(test)]
#[cfg(feature = "experiments")]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::classify::model::tests::sample;
    use crate::classify::stage::Machine;
    use crate::classify::svm::Svm;
    use crate::classify::svm::SvmOptions;
    use crate::classify::trees::{Bagged, Boosted, Tree};
    use crate::classify::trees::{BaggedOptions, BoostedOptions, TreeOptions};
    use ndarray::Array2;
    use proptest::prelude::*;

    #[test]
    fn a_model_read_from_its_file_is_the_same() {
        let (model, table, shape) = sample();
        let read = Model::from_bytes(&model.to_bytes()).unwrap();
        assert_eq!(read, model);
        assert_eq!(read.decide(&table, &shape).unwrap(), model.decide(&table, &shape).unwrap());
        let folder = tempfile::tempdir().unwrap();
        model.save(&folder.path().join("x.model")).unwrap();
        assert_eq!(Model::load(&folder.path().join("x.model")).unwrap(), model);
        assert!(Model::load(&folder.path().join("none")).unwrap_err().to_string().contains("none"));
    }

    #[test]
    fn keywords_are_kept_in_the_file_and_missing_ones_are_refused() {
        use crate::language::keywords::{Keyword, LanguageKeywords};
        let (mut model, table, shape) = sample();
        let plain = model.to_bytes();
        assert!(!String::from_utf8_lossy(&plain).contains("keywords"), "a model without them is the file it was");
        let keyword = |word: &str, keyness| Keyword { word: word.into(), keyness };
        let of_language = LanguageKeywords {
            language: "en".into(),
            reference: "made up".into(),
            content: vec![keyword("however", 1.234_567_9), keyword("naïve", 0.1)],
            boilerplate: vec![keyword("login", f32::MIN_POSITIVE)],
        };
        model.keywords = Some(Keywords { languages: vec![of_language] });
        model.provenance.languages = vec!["en".into()];
        let read = Model::from_bytes(&model.to_bytes()).unwrap();
        assert_eq!(read, model);
        assert_eq!(read.decide(&table, &shape).unwrap(), model.decide(&table, &shape).unwrap());
        assert!(!read.measuring().language_bound && read.measuring().keywords.is_some());
        model.columns[2] = "linguistic.keyword.balance".into();
        assert!(Model::from_bytes(&model.to_bytes()).unwrap().measuring().language_bound);
        model.keywords = None;
        assert!(Model::from_bytes(&model.to_bytes()).unwrap_err().to_string().contains("language-bound"));
    }

    #[test]
    fn the_built_in_models_are_written_as_they_were_read() {
        for (name, bytes) in crate::cleaner::BUILT_IN {
            assert!(Model::from_bytes(bytes).unwrap().to_bytes() == *bytes, "{name}");
        }
    }

    #[test]
    fn every_kernel_is_kept_in_the_file() {
        let (model, table, shape) = sample();
        let (rows, labels) =
            (Array2::from_shape_fn((30, 2), |(row, at)| (row % (at + 3)) as f32 / 3.0), [true, false].repeat(15));
        for kernel in super::super::kernel::tests::ALL {
            let options = SvmOptions { kernel, ..SvmOptions::default() };
            let mut model = model.clone();
            model.stages[0].machine = Machine::Svm(Svm::fit(rows.view(), &labels, None, &options).unwrap());
            let read = Model::from_bytes(&model.to_bytes()).unwrap();
            assert_eq!(read, model);
            assert_eq!(read.decide(&table, &shape).unwrap(), model.decide(&table, &shape).unwrap());
        }
    }

    #[test]
    fn trees_are_kept_in_the_file_and_wrong_shapes_are_refused() {
        for machine in machines_of_trees() {
            let (mut model, table, shape) = sample();
            model.stages[0].machine = machine;
            let bytes = model.to_bytes();
            let read = Model::from_bytes(&bytes).unwrap();
            assert_eq!(read, model);
            assert_eq!(read.decide(&table, &shape).unwrap(), model.decide(&table, &shape).unwrap());
            // A leaf is changed to a split on a missing column, with a correct checksum.
            let leaf = bytes.windows(2).rposition(|pair| pair == [255, 255]).unwrap();
            let mut damaged = bytes[..bytes.len() - 4].to_vec();
            damaged[leaf] = 0;
            damaged.extend(checksum(&damaged).to_le_bytes());
            assert!(Model::from_bytes(&damaged).unwrap_err().to_string().contains("trees"));
        }
    }

    fn machines_of_trees() -> Vec<Machine> {
        let mut random = fastrand::Rng::with_seed(4);
        let rows = Array2::from_shape_fn((90, 2), |_| random.f32() * 2.0 - 1.0);
        let labels: Vec<bool> = rows.rows().into_iter().map(|row| row[0] * row[1] > 0.1).collect();
        let rows = rows.view();
        let bagged = BaggedOptions { trees: 3, ..BaggedOptions::default() };
        let boosted = BoostedOptions { trees: 3, depth: 2, ..BoostedOptions::default() };
        vec![
            Machine::Tree(Tree::fit(rows, &labels, None, &TreeOptions { depth: 4, min_leaf: 3 }).unwrap()),
            Machine::Bagged(Bagged::fit(rows, &labels, None, &bagged).unwrap()),
            Machine::Boosted(Boosted::fit(rows, &labels, None, &boosted).unwrap()),
        ]
    }

    #[test]
    fn newer_and_foreign_files_are_refused_by_name() {
        let mut bytes = sample().0.to_bytes();
        bytes[13] = 9;
        assert!(Model::from_bytes(&bytes).unwrap_err().to_string().contains("format 9"));
        assert!(Model::from_bytes(b"PK").unwrap_err().to_string().contains("vclean train"));
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
