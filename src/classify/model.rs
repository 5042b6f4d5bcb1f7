//! The model: which columns it reads, its stages, its calibration, and where it came from.
//!
//! File format 1, little endian:
//!
//! | part | holds |
//! |---|---|
//! | 13 bytes | `vclean model\n` |
//! | u32 | format version |
//! | u32 | length of the header |
//! | header | JSON: name, columns, threshold, provenance, the shapes of what follows |
//! | per stage | column numbers (u32); ranges (f32 low, f32 high); means (f32); then of a machine: gamma, rho (f32), weights (f32), support vectors (i16, times 1.5 / 32767); of a line: weights, offset (f32) |
//! | u32 | CRC-32 of all before |
//!
//! Support vectors are put on the 16-bit grid when they are fitted, so a model in memory and its file decide alike.

use super::calibrate::Platt;
use super::logistic::Logistic;
use super::scaler::{LIMIT, Scaler};
use super::smooth::{CONTEXT_COLUMNS, PageShape, context};
use super::svm::{GRID, Svm, to_grid};
use super::threshold::expected_f_cut;
use super::{Decision, Label, Reason};
use crate::capture::Engine;
use crate::error::ModelError;
use crate::features::FeatureTable;
use crate::target::TargetRule;
use ndarray::{Array1, Array2, ArrayView2, Axis, concatenate};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Version of the file format that this library writes; it reads this one only.
pub const FORMAT_VERSION: u32 = 1;

const MAGIC: &[u8; 13] = b"vclean model\n";

/// Columns, rows and support vectors a file may name: keeps a damaged header from asking for all memory.
const MOST: usize = 1 << 20;

/// What a model was trained on, and how.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Provenance {
    /// The command that trained it.
    pub command: String,
    /// Version of vclean that trained it.
    pub version: String,
    /// Seed of the sample and the folds.
    pub seed: u64,
    /// Sets it learned from.
    pub sets: Vec<SetUse>,
    /// Hyperparameters of each stage, in words.
    pub stages: Vec<String>,
    /// Block accuracy on held-out sites.
    pub accuracy: f64,
    /// Expected calibration error on held-out sites.
    pub calibration_error: f64,
}

/// What was taken from a set.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SetUse {
    /// The set's name.
    pub name: String,
    /// Pages used.
    pub pages: usize,
    /// Pages left out because their gold does not fit them.
    pub left_out: usize,
    /// Rows in the sample of the first stage.
    pub rows: usize,
}

/// What turns a row into a margin.
#[derive(Debug, Clone, PartialEq)]
pub enum Machine {
    /// A support vector machine.
    Svm(Svm),
    /// A line.
    Logistic(Logistic),
}

impl Machine {
    /// The margin of each scaled row.
    pub fn margins(&self, rows: ArrayView2<'_, f32>) -> Vec<f32> {
        match self {
            Self::Svm(svm) => svm.margins(rows),
            Self::Logistic(line) => line.margins(rows),
        }
    }
}

/// One step from rows to margins. From the second on, a stage also sees the margins of the stage before.
#[derive(Debug, Clone, PartialEq)]
pub struct Stage {
    /// Which of the model's columns it reads.
    pub columns: Vec<usize>,
    /// Whether it reads, after them, the [`CONTEXT_COLUMNS`] of the margins before; never in the first stage.
    pub reads_margins: bool,
    /// Learned from its training rows.
    pub scaler: Scaler,
    /// Mean of each scaled input over the training rows.
    pub means: Vec<f32>,
    /// The classifier.
    pub machine: Machine,
}

impl Stage {
    /// Its unscaled input: the model's columns `rows` of a page, and the margins of the stage before.
    pub fn input(
        columns: &[usize],
        reads_margins: bool,
        rows: ArrayView2<'_, f32>,
        before: &[f32],
        shape: &PageShape,
    ) -> Array2<f32> {
        let own = rows.select(Axis(1), columns);
        if !reads_margins {
            return own;
        }
        let around = context(before, shape);
        concatenate(Axis(1), &[own.view(), around.view()]).expect("both have one row a target")
    }

    fn margins(&self, rows: ArrayView2<'_, f32>, before: &[f32], shape: &PageShape) -> Vec<f32> {
        let input = Self::input(&self.columns, self.reads_margins, rows, before, shape);
        self.machine.margins(self.scaler.apply(input.view()).view())
    }
}

/// A trained classifier with all it needs.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    /// Its name, such as `rendered`.
    pub name: String,
    /// The feature columns it reads, in its own order.
    pub columns: Vec<String>,
    /// At least one.
    pub stages: Vec<Stage>,
    /// From the last stage's margins to probabilities.
    pub platt: Platt,
    /// Probability from which a target is content.
    pub threshold: f32,
    /// How targets were selected in training; use the same.
    pub target_rule: TargetRule,
    /// What made the captures it was trained on.
    pub engine: Engine,
    /// Where it came from.
    pub provenance: Provenance,
}

#[derive(Serialize, Deserialize)]
struct Header {
    name: String,
    columns: Vec<String>,
    stages: Vec<StageHeader>,
    platt: Platt,
    threshold: f32,
    target_rule: TargetRule,
    engine: Engine,
    provenance: Provenance,
}

#[derive(Serialize, Deserialize)]
struct StageHeader {
    columns: usize,
    reads_margins: bool,
    kind: MachineKind,
    support_vectors: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum MachineKind {
    Svm,
    Logistic,
}

impl Model {
    /// The model's columns of a table, in the model's order.
    pub fn select(&self, table: &FeatureTable) -> Result<Array2<f32>, ModelError> {
        let places: Vec<usize> = self
            .columns
            .iter()
            .map(|column| {
                table.columns.iter().position(|known| known == column).ok_or_else(|| ModelError::Column {
                    model: self.name.clone(),
                    column: column.clone(),
                    remedy: if self.engine == Engine::Parser {
                        "measure the features again with this version".to_owned()
                    } else {
                        "render the page, or use a model that needs no pixels (--model static)".to_owned()
                    },
                })
            })
            .collect::<Result<_, _>>()?;
        Ok(table.rows.select(Axis(1), &places))
    }

    /// The last stage's margin of each target of a page.
    pub fn margins(&self, table: &FeatureTable, shape: &PageShape) -> Result<Vec<f32>, ModelError> {
        let rows = self.select(table)?;
        if shape.lengths.len() != rows.nrows() || shape.groups.len() != rows.nrows() {
            return Err(ModelError::Format(format!(
                "the table has {} rows, the page {} targets; measure the features again",
                rows.nrows(),
                shape.lengths.len()
            )));
        }
        Ok(self.stages.iter().fold(Vec::new(), |before, stage| stage.margins(rows.view(), &before, shape)))
    }

    /// Decides on each target of a page, in order.
    ///
    /// The line is drawn where the expected F of the page's text is largest ([`expected_f_cut`]), never above the model's
    /// threshold: sure pages are cut there, unsure ones keep the best they have.
    pub fn decide(&self, table: &FeatureTable, shape: &PageShape) -> Result<Vec<Decision>, ModelError> {
        let margins = self.margins(table, shape)?;
        let probabilities: Vec<f32> = margins.iter().map(|&margin| self.platt.probability(margin)).collect();
        let lengths: Vec<f32> = shape.lengths.iter().map(|&length| length as f32).collect();
        let threshold = expected_f_cut(&probabilities, &lengths).threshold.min(self.threshold);
        let decide = |(margin, probability): (f32, f32)| {
            let label = if probability >= threshold { Label::Content } else { Label::Boilerplate };
            Decision { margin, probability, label }
        };
        Ok(margins.into_iter().zip(probabilities).map(decide).collect())
    }

    /// The `count` features that weighed most in the first stage (the one that sees the page), for each of `targets`:
    /// by how much the margin would sink with the training mean in the feature's place. About a millisecond a target.
    pub fn reasons(
        &self,
        table: &FeatureTable,
        targets: &[usize],
        count: usize,
    ) -> Result<Vec<Vec<Reason>>, ModelError> {
        let stage = self.stages.first().ok_or_else(|| ModelError::Format("the model has no stage".to_owned()))?;
        let rows = self.select(table)?.select(Axis(0), targets).select(Axis(1), &stage.columns);
        let scaled = stage.scaler.apply(rows.view());
        let reasons = (0..targets.len()).into_par_iter().map(|index| {
            let row = scaled.row(index);
            let effects = match &stage.machine {
                Machine::Svm(svm) => svm.effects(row, &stage.means),
                Machine::Logistic(line) => {
                    row.iter().zip(&stage.means).zip(&line.weights).map(|((x, mean), w)| (x - mean) * w).collect()
                }
            };
            let mut order: Vec<usize> = (0..effects.len()).filter(|&column| effects[column] != 0.0).collect();
            order.sort_by(|&one, &other| effects[other].abs().total_cmp(&effects[one].abs()).then(one.cmp(&other)));
            order.truncate(count);
            order
                .into_iter()
                .map(|column| Reason {
                    feature: self.columns[stage.columns[column]].clone(),
                    value: rows[[index, column]],
                    weight: effects[column],
                })
                .collect()
        });
        Ok(reasons.collect())
    }

    /// Number of support vectors of all stages.
    pub fn support_vectors(&self) -> usize {
        let of_stage = |stage: &Stage| match &stage.machine {
            Machine::Svm(svm) => svm.support_vectors(),
            Machine::Logistic(_) => 0,
        };
        self.stages.iter().map(of_stage).sum()
    }

    /// The model as a file's bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let header = Header {
            name: self.name.clone(),
            columns: self.columns.clone(),
            stages: self.stages.iter().map(StageHeader::of).collect(),
            platt: self.platt,
            threshold: self.threshold,
            target_rule: self.target_rule,
            engine: self.engine,
            provenance: self.provenance.clone(),
        };
        let header = serde_json::to_vec(&header).expect("a header has string keys only");
        let mut bytes = MAGIC.to_vec();
        bytes.extend(FORMAT_VERSION.to_le_bytes());
        bytes.extend((header.len() as u32).to_le_bytes());
        bytes.extend(header);
        for stage in &self.stages {
            stage.columns.iter().for_each(|&column| bytes.extend((column as u32).to_le_bytes()));
            let mut floats = |values: &mut dyn Iterator<Item = f32>| {
                values.for_each(|value| bytes.extend(value.to_le_bytes()));
            };
            floats(&mut stage.scaler.low.iter().copied());
            floats(&mut stage.scaler.high.iter().copied());
            floats(&mut stage.means.iter().copied());
            match &stage.machine {
                Machine::Svm(svm) => {
                    floats(&mut [svm.gamma, svm.rho].into_iter());
                    floats(&mut svm.weights.iter().copied());
                    svm.vectors.iter().for_each(|&value| bytes.extend(to_grid(value).to_le_bytes()));
                }
                Machine::Logistic(line) => {
                    floats(&mut line.weights.iter().copied().chain([line.offset]));
                }
            }
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
        let stages: Vec<Stage> = header
            .stages
            .iter()
            .enumerate()
            .map(|(index, stage)| reader.stage(stage, header.columns.len(), index))
            .collect::<Result<_, _>>()?;
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
            provenance: header.provenance,
        })
    }

    /// Reads a model file.
    pub fn load(path: &Path) -> Result<Self, ModelError> {
        let bytes = std::fs::read(path)
            .map_err(|error| ModelError::Read { path: path.to_path_buf(), cause: error.to_string() })?;
        Self::from_bytes(&bytes)
    }

    /// Writes a model file: beside its name first, then renamed.
    pub fn save(&self, path: &Path) -> std::io::Result<()> {
        let mut beside = path.as_os_str().to_owned();
        beside.push(".part");
        std::fs::write(&beside, self.to_bytes())?;
        std::fs::rename(&beside, path)
    }
}

impl StageHeader {
    fn of(stage: &Stage) -> Self {
        let (kind, support_vectors) = match &stage.machine {
            Machine::Svm(svm) => (MachineKind::Svm, svm.support_vectors()),
            Machine::Logistic(_) => (MachineKind::Logistic, 0),
        };
        Self { columns: stage.columns.len(), reads_margins: stage.reads_margins, kind, support_vectors }
    }
}

fn checksum(bytes: &[u8]) -> u32 {
    let mut crc = flate2::Crc::new();
    crc.update(bytes);
    crc.sum()
}

struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    fn bytes(&mut self, count: usize) -> Result<&'a [u8], ModelError> {
        let (taken, rest) =
            self.rest.split_at_checked(count).ok_or_else(|| ModelError::Format("it is cut off".to_owned()))?;
        self.rest = rest;
        Ok(taken)
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], ModelError> {
        Ok(self.bytes(N)?.try_into().expect("as many bytes as asked for"))
    }

    fn numbers<const N: usize, T>(&mut self, count: usize, read: fn([u8; N]) -> T) -> Result<Vec<T>, ModelError> {
        let bytes = self.bytes(count.saturating_mul(N))?;
        Ok(bytes.chunks_exact(N).map(|chunk| read(chunk.try_into().expect("chunks of N bytes"))).collect())
    }

    fn floats(&mut self, count: usize) -> Result<Vec<f32>, ModelError> {
        let values = self.numbers(count, f32::from_le_bytes)?;
        if values.iter().all(|value| value.is_finite()) {
            Ok(values)
        } else {
            Err(ModelError::Format("it holds a value that is no number; train again".to_owned()))
        }
    }

    fn stage(&mut self, header: &StageHeader, columns: usize, index: usize) -> Result<Stage, ModelError> {
        let bad = |cause: &str| ModelError::Format(cause.to_owned());
        if header.columns > MOST || header.support_vectors > MOST || (index == 0 && header.reads_margins) {
            return Err(bad("its header names impossible sizes"));
        }
        let own: Vec<usize> =
            self.numbers(header.columns, u32::from_le_bytes)?.into_iter().map(|column| column as usize).collect();
        if own.iter().any(|&column| column >= columns) {
            return Err(bad("a stage reads a column that the model does not name"));
        }
        let inputs = own.len() + if header.reads_margins { CONTEXT_COLUMNS.len() } else { 0 };
        let scaler = Scaler { low: self.floats(inputs)?, high: self.floats(inputs)? };
        let means = self.floats(inputs)?;
        let machine = match header.kind {
            MachineKind::Svm => {
                let (gamma, rho) = (f32::from_le_bytes(self.take()?), f32::from_le_bytes(self.take()?));
                let weights = Array1::from(self.floats(header.support_vectors)?);
                let vectors = self.numbers(header.support_vectors.saturating_mul(inputs), i16::from_le_bytes)?;
                let vectors = vectors.into_iter().map(|value| f32::from(value) * (LIMIT / GRID)).collect();
                let vectors = Array2::from_shape_vec((header.support_vectors, inputs), vectors)
                    .map_err(|_| bad("its support vectors have another shape than its header says"))?;
                Machine::Svm(Svm::from_parts(gamma, rho, vectors, weights))
            }
            MachineKind::Logistic => {
                let mut weights = self.floats(inputs + 1)?;
                let offset = weights.pop().unwrap_or(0.0);
                Machine::Logistic(Logistic { weights, offset })
            }
        };
        Ok(Stage { columns: own, reads_margins: header.reads_margins, scaler, means, machine })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::classify::svm::SvmOptions;
    use proptest::prelude::*;

    fn fit(rows: &Array2<f32>, labels: &[bool], is_svm: bool) -> (Scaler, Vec<f32>, Machine) {
        let scaler = Scaler::fit(rows.view());
        let scaled = scaler.apply(rows.view());
        let machine = if is_svm {
            Machine::Svm(Svm::fit(scaled.view(), labels, None, &SvmOptions::default()).unwrap())
        } else {
            Machine::Logistic(Logistic::fit(scaled.view(), labels, 1e-3).unwrap())
        };
        let means = scaled.mean_axis(Axis(0)).unwrap().to_vec();
        (scaler, means, machine)
    }

    /// A model of two stages, a page's table and shape.
    fn sample() -> (Model, FeatureTable, PageShape) {
        let mut random = fastrand::Rng::with_seed(2);
        let rows = Array2::from_shape_fn((80, 3), |_| random.f32() * 10.0);
        let labels: Vec<bool> = rows.rows().into_iter().map(|row| row[0] > row[2]).collect();
        let shape = PageShape { lengths: vec![10; 80], groups: (0..80).map(|index| [index / 10, 0]).collect() };
        let (scaler, means, machine) = fit(&rows.select(Axis(1), &[0, 2]), &labels, true);
        let first = Stage { columns: vec![0, 2], reads_margins: false, scaler, means, machine };
        let before = first.margins(rows.view(), &[], &shape);
        let input = Stage::input(&[1], true, rows.view(), &before, &shape);
        let (scaler, means, machine) = fit(&input, &labels, false);
        let second = Stage { columns: vec![1], reads_margins: true, scaler, means, machine };
        let model = Model {
            name: "sample".to_owned(),
            columns: ["a.x", "a.y", "b.z"].map(str::to_owned).to_vec(),
            stages: vec![first, second],
            platt: Platt::default(),
            threshold: 0.5,
            target_rule: TargetRule::Blocks,
            engine: Engine::Parser,
            provenance: Provenance::default(),
        };
        // The table has its columns in another order, and more of them.
        let table = FeatureTable {
            columns: vec!["b.z", "c.w", "a.y", "a.x"],
            rows: Array2::from_shape_fn((80, 4), |(row, column)| match column {
                0 => rows[[row, 2]],
                1 => 1.0,
                2 => rows[[row, 1]],
                _ => rows[[row, 0]],
            }),
        };
        (model, table, shape)
    }

    #[test]
    fn a_model_survives_its_file_and_decides_alike() {
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
    fn columns_are_found_by_name_and_a_missing_one_is_named() {
        let (model, mut table, shape) = sample();
        let decisions = model.decide(&table, &shape).unwrap();
        let right = decisions
            .iter()
            .zip(table.rows.rows())
            .filter(|(decision, row)| (decision.label == Label::Content) == (row[3] > row[0]));
        assert!(right.count() > 70);
        table.columns[2] = "a.q";
        let error = model.decide(&table, &shape).unwrap_err().to_string();
        assert!(error.starts_with("model sample expects column a.y, the table has none"), "{error}");
    }

    #[test]
    fn reasons_name_the_features_that_count() {
        let (model, table, _) = sample();
        let reasons = model.reasons(&table, &[3, 5], 2).unwrap();
        assert_eq!(reasons.len(), 2);
        for reasons in reasons {
            assert!(reasons.iter().all(|reason| ["a.x", "b.z"].contains(&reason.feature.as_str())));
            assert!(reasons.windows(2).all(|pair| pair[0].weight.abs() >= pair[1].weight.abs()));
        }
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
