//! One stage as a part of a model file; [`file`](super::file) describes the layout.

use super::kernel::Kernel;
use super::logistic::Logistic;
use super::scaler::Scaler;
use super::sequence::{Design, Sequence};
use super::stage::{Machine, MarginInput, Stage};
use super::svm::{Svm, from_grid, to_grid};
use super::trees::{Bagged, Boosted, Nodes, Tree};
use crate::error::ModelError;
use ndarray::{Array1, Array2};
use serde::{Deserialize, Serialize};

/// Columns, rows and support vectors a file may name: a damaged header must not allocate all memory.
const MAX_COUNT: usize = 1 << 20;
/// Stages that a stage may read.
const MAX_READS: usize = 16;

/// The shapes of a stage, in the header of the file.
#[derive(Serialize, Deserialize)]
pub(super) struct StageHeader {
    columns: usize,
    /// Whether it reads margins: those of the stage before, unless `reads` names others.
    reads_margins: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    reads: Vec<usize>,
    kind: MachineKind,
    support_vectors: usize,
    /// `None` for the Gaussian, whose gamma is written with the support vectors.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    kernel: Option<Kernel>,
    /// Trees, and nodes of all of them.
    #[serde(default, skip_serializing_if = "is_zero")]
    trees: usize,
    #[serde(default, skip_serializing_if = "is_zero")]
    nodes: usize,
    /// Of a network.
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
    Tree,
    Bagged,
    Boosted,
    Sequence,
}

impl StageHeader {
    pub(super) fn describe(index: usize, stage: &Stage) -> Self {
        let trees = |trees: &[Tree]| (trees.len(), Nodes::from_trees(trees).columns.len());
        let (kind, support_vectors, (trees, nodes)) = match &stage.machine {
            Machine::Svm(svm) => (MachineKind::Svm, svm.support_vectors(), (0, 0)),
            Machine::Logistic(_) => (MachineKind::Logistic, 0, (0, 0)),
            Machine::Tree(tree) => (MachineKind::Tree, 0, trees(std::slice::from_ref(tree))),
            Machine::Bagged(bagged) => (MachineKind::Bagged, 0, trees(&bagged.trees)),
            Machine::Boosted(boosted) => (MachineKind::Boosted, 0, trees(&boosted.trees)),
            Machine::Sequence(_) => (MachineKind::Sequence, 0, (0, 0)),
        };
        let design = match &stage.machine {
            Machine::Sequence(network) => Some(network.design),
            _ => None,
        };
        let kernel = match &stage.machine {
            Machine::Svm(svm) if !matches!(svm.kernel, Kernel::Rbf { .. }) => Some(svm.kernel),
            _ => None,
        };
        let (columns, reads_margins) = (stage.columns.len(), !stage.reads.is_empty());
        let reads = if index > 0 && stage.reads == [index - 1] { Vec::new() } else { stage.reads.clone() };
        Self { columns, reads_margins, reads, kind, support_vectors, kernel, trees, nodes, design }
    }
}

fn write_trees(trees: &[Tree], bytes: &mut Vec<u8>) {
    let nodes = Nodes::from_trees(trees);
    nodes.columns.iter().for_each(|column| bytes.extend(column.to_le_bytes()));
    nodes.values.iter().for_each(|value| bytes.extend(value.to_le_bytes()));
}

/// Writes the numbers of a stage; their counts are in its header.
pub(super) fn write(stage: &Stage, bytes: &mut Vec<u8>) {
    stage.columns.iter().for_each(|&column| bytes.extend((column as u32).to_le_bytes()));
    let mut floats = |values: &mut dyn Iterator<Item = f32>| {
        values.for_each(|value| bytes.extend(value.to_le_bytes()));
    };
    floats(&mut stage.scaler.low.iter().copied());
    floats(&mut stage.scaler.high.iter().copied());
    floats(&mut stage.means.iter().copied());
    match &stage.machine {
        Machine::Svm(svm) => {
            let gamma = if let Kernel::Rbf { gamma } = svm.kernel { gamma as f32 } else { 0.0 };
            floats(&mut [gamma, svm.rho].into_iter());
            floats(&mut svm.weights.iter().copied());
            svm.vectors.iter().for_each(|&value| bytes.extend(to_grid(value).to_le_bytes()));
        }
        Machine::Logistic(logistic) => {
            floats(&mut logistic.weights.iter().copied().chain([logistic.offset]));
        }
        Machine::Tree(tree) => write_trees(std::slice::from_ref(tree), bytes),
        Machine::Bagged(bagged) => write_trees(&bagged.trees, bytes),
        Machine::Boosted(boosted) => {
            floats(&mut [boosted.offset].into_iter());
            write_trees(&boosted.trees, bytes);
        }
        Machine::Sequence(network) => floats(&mut network.params.iter().copied()),
    }
}

/// Reads a file's bytes from front to back.
pub(super) struct Reader<'a> {
    pub(super) rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(super) fn bytes(&mut self, count: usize) -> Result<&'a [u8], ModelError> {
        let (taken, rest) =
            self.rest.split_at_checked(count).ok_or_else(|| ModelError::Format("it is cut off".to_owned()))?;
        self.rest = rest;
        Ok(taken)
    }

    pub(super) fn take<const N: usize>(&mut self) -> Result<[u8; N], ModelError> {
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

    fn trees(&mut self, header: &StageHeader, inputs: usize) -> Result<Vec<Tree>, ModelError> {
        let columns = self.numbers(header.nodes, u16::from_le_bytes)?;
        let nodes = Nodes { columns, values: self.floats(header.nodes)? };
        let trees = nodes.trees(header.trees, inputs).filter(|trees| !trees.is_empty());
        trees.ok_or_else(|| ModelError::Format("its trees have another shape than its header says".to_owned()))
    }

    pub(super) fn stage(&mut self, header: &StageHeader, columns: usize, index: usize) -> Result<Stage, ModelError> {
        let bad = |cause: &str| ModelError::Format(cause.to_owned());
        if header.columns > MAX_COUNT || header.support_vectors > MAX_COUNT || (index == 0 && header.reads_margins) {
            return Err(bad("its header names impossible sizes"));
        }
        let reads = match (header.reads_margins, header.reads.as_slice()) {
            (false, []) => Vec::new(),
            (true, []) => vec![index - 1],
            (true, named) if named.len() < MAX_READS && named.iter().all(|&stage| stage < index) => named.to_vec(),
            _ => return Err(bad("a stage reads margins that there are not")),
        };
        let own: Vec<usize> =
            self.numbers(header.columns, u32::from_le_bytes)?.into_iter().map(|column| column as usize).collect();
        if own.iter().any(|&column| column >= columns) {
            return Err(bad("a stage reads a column that the model does not name"));
        }
        let margin_input = if header.kind == MachineKind::Sequence { MarginInput::Own } else { MarginInput::Context };
        let inputs = own.len() + reads.len() * margin_input.columns();
        let scaler = Scaler { low: self.floats(inputs)?, high: self.floats(inputs)? };
        let means = self.floats(inputs)?;
        let machine = self.machine(header, inputs)?;
        Ok(Stage { columns: own, reads, scaler, means, machine })
    }

    fn machine(&mut self, header: &StageHeader, inputs: usize) -> Result<Machine, ModelError> {
        let bad = |cause: &str| ModelError::Format(cause.to_owned());
        Ok(match header.kind {
            MachineKind::Svm => {
                let (gamma, rho) = (self.floats(1)?[0], self.floats(1)?[0]);
                let kernel = header.kernel.unwrap_or(Kernel::Rbf { gamma: f64::from(gamma) });
                kernel.check().map_err(|error| ModelError::Format(format!("its kernel cannot be: {error}")))?;
                let weights = Array1::from(self.floats(header.support_vectors)?);
                let vectors = self.numbers(header.support_vectors.saturating_mul(inputs), i16::from_le_bytes)?;
                let vectors = vectors.into_iter().map(from_grid).collect();
                let vectors = Array2::from_shape_vec((header.support_vectors, inputs), vectors)
                    .map_err(|_| bad("its support vectors have another shape than its header says"))?;
                Machine::Svm(Svm::from_parts(kernel, rho, vectors, weights))
            }
            MachineKind::Logistic => {
                let mut weights = self.floats(inputs + 1)?;
                let offset = weights.pop().unwrap_or(0.0);
                Machine::Logistic(Logistic { weights, offset })
            }
            MachineKind::Tree => match <[Tree; 1]>::try_from(self.trees(header, inputs)?) {
                Ok([tree]) => Machine::Tree(tree),
                Err(_) => return Err(bad("it has several trees where one decides")),
            },
            MachineKind::Bagged => Machine::Bagged(Bagged { trees: self.trees(header, inputs)? }),
            MachineKind::Boosted => {
                let offset = self.floats(1)?[0];
                Machine::Boosted(Boosted::new(offset, self.trees(header, inputs)?))
            }
            MachineKind::Sequence => {
                let design = header.design.ok_or_else(|| bad("it has a network without a design"))?;
                design.check().map_err(|error| ModelError::Format(format!("its network cannot be: {error}")))?;
                let params = self.floats(design.size(inputs))?;
                let network = Sequence::from_parts(design, inputs, params);
                Machine::Sequence(network.ok_or_else(|| bad("it has a network that reads nothing"))?)
            }
        })
    }
}

#[cfg(test)]
#[cfg(feature = "experiments")]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::classify::Model;
    use crate::classify::PageShape;
    use crate::classify::file::checksum;
    use crate::classify::model::tests::sample;
    use crate::classify::sequence::{SequenceOptions, SequencePage};
    use crate::features::FeatureTable;

    /// A model whose third stage is a network, with a page's table and shape.
    fn with_network() -> (Model, FeatureTable, PageShape) {
        let (mut model, table, shape) = sample();
        let rows = model.select(&table).unwrap();
        let labels: Vec<Option<bool>> = (0..80).map(|row| Some(row % 9 < 4)).collect();
        let scaler = Scaler { low: vec![0.0, 0.0, -3.0, -3.0], high: vec![10.0, 10.0, 3.0, 3.0] };
        let inputs = Array2::from_shape_fn((80, 4), |(row, column)| rows[[row, column % 3]] - 3.0);
        let page = SequencePage { inputs: inputs.view(), shape: &shape, labels: &labels, is_whole: true, kind: None };
        let options = SequenceOptions { width: 8, window: 32, epochs: 1, ..SequenceOptions::default() };
        let network = Sequence::fit(&[page], &scaler, &options, &|_| {}).unwrap();
        model.stages.push(Stage {
            columns: vec![0, 2],
            reads: vec![0, 1],
            means: vec![0.0; 4],
            scaler,
            machine: Machine::Sequence(network),
        });
        (model, table, shape)
    }

    /// The file with the header of its last stage changed, and the checksum made right.
    fn with_header(bytes: &[u8], change: impl Fn(&mut serde_json::Value)) -> Vec<u8> {
        let length = u32::from_le_bytes(bytes[17..21].try_into().unwrap()) as usize;
        let mut header: serde_json::Value = serde_json::from_slice(&bytes[21..21 + length]).unwrap();
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
        assert_eq!(read.decide(&table, &shape).unwrap(), model.decide(&table, &shape).unwrap());
        let kinds = read.kinds(&table, &shape).unwrap().unwrap();
        assert!((kinds.iter().sum::<f32>() - 1.0).abs() < 1e-5);
        assert_eq!(sample().0.kinds(&table, &shape).unwrap(), None);
        assert!(!read.reasons(&table, &[3], 2).unwrap()[0].is_empty(), "the first stage explains");
    }

    #[test]
    fn damaged_headers_of_networks_are_named() {
        type Change<'a> = &'a dyn Fn(&mut serde_json::Value);
        let bytes = with_network().0.to_bytes();
        assert_eq!(with_header(&bytes, |_| {}).len(), bytes.len());
        let error = |change: &dyn Fn(&mut serde_json::Value)| {
            Model::from_bytes(&with_header(&bytes, change)).unwrap_err().to_string()
        };
        let cases: [(Change<'_>, &str); 7] = [
            (&|stage| stage["design"]["width"] = 4_000_000_000u64.into(), "its network cannot be: width is 4000000000"),
            (&|stage| stage["design"]["window"] = 0.into(), "its network cannot be: window is 0"),
            (&|stage| stage["design"]["width"] = 512.into(), "it is cut off"),
            (&|stage| stage["design"]["width"] = 4.into(), "its parts have other sizes than its header says"),
            (&|stage| stage["design"]["blocks"] = "c1+lstm".into(), "there is no block lstm"),
            (&|stage| stage["design"] = serde_json::Value::Null, "it has a network without a design"),
            (&|stage| stage["columns"] = 9_000_000_000u64.into(), "impossible sizes"),
        ];
        for (change, expected) in cases {
            let found = error(change);
            assert!(found.contains(expected), "{found}");
        }
        let mut holes = bytes[..bytes.len() - 4].to_vec();
        let last = holes.len() - 4;
        holes[last..].copy_from_slice(&f32::NAN.to_le_bytes());
        holes.extend(checksum(&holes).to_le_bytes());
        assert!(Model::from_bytes(&holes).unwrap_err().to_string().contains("a value that is no number"));
    }
}
