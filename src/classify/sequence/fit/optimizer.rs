//! AdamW (Loshchilov and Hutter 2019) with a limit on the length of the gradient (Pascanu, Mikolov and Bengio 2013) and
//! a learning rate that rises, then falls along a cosine (Loshchilov and Hutter 2017).

/// Decay of the mean slope and of the mean squared slope, as Kingma and Ba (2015) recommend.
const DECAY: [f32; 2] = [0.9, 0.999];
/// Keeps a step finite where slopes are 0, from the same.
const LEAST: f32 = 1e-8;
/// A longer gradient is shortened to this length.
const LONGEST: f32 = 1.0;
/// Share of the steps in which the rate rises. Heuristic: the first steps are the least certain.
const RISE: f32 = 0.1;

/// The state of the optimizer.
pub(super) struct AdamW {
    /// Largest learning rate.
    pub(super) rate: f32,
    /// Weight decay.
    pub(super) decay: f32,
    /// Number of all steps.
    pub(super) steps: usize,
    step: usize,
    means: Vec<f32>,
    squares: Vec<f32>,
}

impl AdamW {
    /// Before the first step, for so many parameters.
    pub(super) fn new(params: usize, rate: f32, decay: f32, steps: usize) -> Self {
        Self { rate, decay, steps, step: 0, means: vec![0.0; params], squares: vec![0.0; params] }
    }

    fn rate_now(&self) -> f32 {
        let done = self.step as f32 / self.steps as f32;
        let share = if done < RISE {
            done / RISE
        } else {
            0.5 * (1.0 + (std::f32::consts::PI * (done - RISE) / (1.0 - RISE)).cos())
        };
        self.rate * share
    }

    /// Changes the parameters by one step.
    pub(super) fn step(&mut self, params: &mut [f32], slopes: &[f32]) {
        let rate = self.rate_now();
        self.step += 1;
        let length = slopes.iter().map(|slope| slope * slope).sum::<f32>().sqrt();
        let clip = if length > LONGEST { LONGEST / length } else { 1.0 };
        let correct = DECAY.map(|decay| 1.0 - decay.powi(self.step as i32));
        let moments = self.means.iter_mut().zip(&mut self.squares);
        for ((param, slope), (mean, square)) in params.iter_mut().zip(slopes).zip(moments) {
            let slope = slope * clip;
            *mean = DECAY[0] * *mean + (1.0 - DECAY[0]) * slope;
            *square = DECAY[1] * *square + (1.0 - DECAY[1]) * slope * slope;
            let step = (*mean / correct[0]) / ((*square / correct[1]).sqrt() + LEAST);
            *param -= rate * (step + self.decay * *param);
        }
    }
}
