//! Evolves the expression of ICE's genetic algorithm (Hofmann and Weerkamp 2007, 3.5).
//!
//! The fitness of a genome is two points for each word of its output that is in the gold, minus one
//! for each that is not, both as bags of words, summed over the pages. The fittest genomes of each
//! generation survive; the others are children of pairs chosen by tournaments, crossed and mutated.
//! The best genome of each generation is tested on validation pages of other sites, and the first
//! that is as good there as any other is kept, because an expression that fits the footers of a few
//! pages exactly loses text of other pages. The numbers below are ours; the paper gives none.

mod genome;

use super::gold_page::{GoldPage, LearnOptions, Learned};
use crate::method::ice::genetic::{Evolved, Expression, NAME};
use crate::method::model_file;
use fastrand::Rng;
use genome::Gene;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write;
use vclean_core::error::ModelError;
use vclean_lab::gold::words::word_runs;

/// Number of genomes per generation.
const POPULATION: usize = 100;
const GENERATIONS: usize = 30;
/// Number of pages on which fitness is measured, drawn evenly from all sets. Heuristic, like the
/// numbers above: training takes minutes.
const PAGES: usize = 24;
/// Largest page that is drawn, in bytes of source, so that no page outweighs the others.
const MAX_PAGE_BYTES: usize = 40_000;
/// Number of the fittest genomes that survive unchanged.
const ELITE: usize = 4;
/// Number of genomes in a tournament for a parent.
const TOURNAMENT: usize = 3;
/// Probability that a pair is crossed.
const CROSSOVER: f64 = 0.7;
/// Probability that a child is mutated.
const MUTATION: f64 = 0.5;
/// Points for a word that is in the gold, and for one that is not.
const POINTS: (i64, i64) = (2, -1);
/// The first generation whose best genome has this share of the highest validation points is kept:
/// a gain of less than a hundredth by more generations is chance, and fits fewer pages (as for
/// trees in Breiman and others 1984, 3.4.3).
const ENOUGH: f64 = 0.99;
/// Generations between two lines of the report.
const REPORT_EVERY: usize = 5;

/// A page on which a genome is tested.
struct Trial {
    source: String,
    gold: HashMap<String, i64>,
}

/// Sizes and seed of the evolution.
#[derive(Debug, Clone, Copy)]
struct Options {
    population: usize,
    generations: usize,
    seed: u64,
}

/// Results of a generation.
#[derive(Debug, Clone, PartialEq)]
struct Generation {
    best: Gene,
    fitness: i64,
    mean: f64,
}

pub(super) fn learn(
    pages: &[GoldPage],
    options: &LearnOptions,
    say: &(dyn Fn(&str) + Sync),
) -> Result<Learned, ModelError> {
    let [bred, tried] = draw(pages, options.seed);
    if bred.is_empty() {
        return Err(ModelError::Training(
            "no page has a source; name a set of HTML pages".to_owned(),
        ));
    }
    let trials = |pages: &[&GoldPage]| -> Vec<Trial> {
        pages
            .iter()
            .map(|page| Trial::new(&page.source(), &page.gold))
            .collect()
    };
    let (bred, tried) = (trials(&bred), trials(&tried));
    let all = Options {
        population: POPULATION,
        generations: GENERATIONS,
        seed: options.seed,
    };
    let generations = evolve(&bred, all, &|number, generation| {
        say(&format!(
            "generation {number}: best {}, mean {:.0}",
            generation.fitness, generation.mean
        ));
    });
    let elsewhere: Vec<i64> = generations
        .par_iter()
        .map(|generation| total(&tried, &generation.best.expression()))
        .collect();
    let mut report = format!(
        "population {POPULATION}, {} pages, {} others\ngeneration\tbest\tmean\tothers\n",
        bred.len(),
        tried.len()
    );
    for (number, (generation, elsewhere)) in generations.iter().zip(&elsewhere).enumerate() {
        if number % REPORT_EVERY == 0 || number + 1 == generations.len() {
            let _ = writeln!(
                report,
                "{number}\t{}\t{:.0}\t{elsewhere}",
                generation.fitness, generation.mean
            );
        }
    }
    let enough = elsewhere
        .iter()
        .max()
        .map_or(0, |most| (*most as f64 * ENOUGH) as i64);
    let chosen = elsewhere
        .iter()
        .position(|points| *points >= enough)
        .unwrap_or(0);
    let (expression, fitness) = (
        generations[chosen].best.expression(),
        generations[chosen].fitness,
    );
    let _ = writeln!(
        report,
        "all text\t{}\t\t{}",
        total(&bred, EVERYTHING),
        total(&tried, EVERYTHING)
    );
    let most = |trials: &[Trial]| {
        POINTS.0
            * trials
                .iter()
                .flat_map(|trial| trial.gold.values())
                .sum::<i64>()
    };
    let _ = writeln!(report, "all gold\t{}\t\t{}", most(&bred), most(&tried));
    let _ = writeln!(
        report,
        "best expression, of generation {chosen}: {expression}"
    );
    let evolved = Evolved {
        expression,
        fitness,
    };
    Ok(Learned {
        bytes: model_file::to_bytes(NAME, &options.provenance, &evolved),
        report,
    })
}

/// Draws training pages, and as many validation pages, evenly from all sets; no site is in both.
fn draw(pages: &[GoldPage], seed: u64) -> [Vec<&GoldPage>; 2] {
    let is_small = |page: &&GoldPage| {
        page.source
            .as_ref()
            .is_some_and(|source| source.len() <= MAX_PAGE_BYTES)
    };
    let mut drawn: Vec<&GoldPage> = pages.iter().filter(is_small).collect();
    Rng::with_seed(seed).shuffle(&mut drawn);
    let mut of_set: BTreeMap<&str, usize> = BTreeMap::new();
    let mut rounds: Vec<(usize, &GoldPage)> = Vec::new();
    for page in drawn {
        let round = of_set.entry(&page.set).or_insert(0);
        *round += 1;
        rounds.push((*round, page));
    }
    rounds.sort_by_key(|(round, _)| *round);
    let bred: Vec<&GoldPage> = rounds.iter().take(PAGES).map(|(_, page)| *page).collect();
    let sites: BTreeSet<&str> = bred.iter().map(|page| page.site.as_str()).collect();
    let others = rounds
        .iter()
        .skip(PAGES)
        .map(|(_, page)| *page)
        .filter(|page| !sites.contains(page.site.as_str()));
    let tried = others.take(PAGES).collect();
    [bred, tried]
}

/// Points on all pages.
fn total(trials: &[Trial], expression: &str) -> i64 {
    trials.iter().map(|trial| trial.points(expression)).sum()
}

/// Captures the whole source, for comparison.
const EVERYTHING: &str = "(.+)";

fn evolve(trials: &[Trial], options: Options, say: &dyn Fn(usize, &Generation)) -> Vec<Generation> {
    let mut rng = Rng::with_seed(options.seed);
    let mut genomes: Vec<Gene> = (0..options.population)
        .map(|_| Gene::random(&mut rng))
        .collect();
    let mut known: BTreeMap<String, i64> = BTreeMap::new();
    let mut generations = Vec::new();
    loop {
        let ranked = rank(genomes, trials, &mut known);
        let mean = ranked
            .iter()
            .map(|(fitness, _)| *fitness as f64)
            .sum::<f64>()
            / ranked.len() as f64;
        let generation = Generation {
            best: ranked[0].1.clone(),
            fitness: ranked[0].0,
            mean,
        };
        say(generations.len(), &generation);
        generations.push(generation);
        if generations.len() > options.generations {
            return generations;
        }
        genomes = breed(&ranked, &mut rng);
    }
}

/// Genomes with their fitness, the fittest first; on ties, the shorter first.
fn rank(
    genomes: Vec<Gene>,
    trials: &[Trial],
    known: &mut BTreeMap<String, i64>,
) -> Vec<(i64, Gene)> {
    let expressions: Vec<String> = genomes.iter().map(Gene::expression).collect();
    let new: BTreeSet<&String> = expressions
        .iter()
        .filter(|expression| !known.contains_key(*expression))
        .collect();
    let measured: Vec<(String, i64)> = new
        .into_par_iter()
        .map(|expression| (expression.clone(), total(trials, expression)))
        .collect();
    known.extend(measured);
    let mut ranked: Vec<(i64, Gene)> = genomes
        .into_iter()
        .zip(&expressions)
        .map(|(gene, expression)| (known[expression], gene))
        .collect();
    ranked.sort_by_key(|(fitness, gene)| (-fitness, gene.nodes()));
    ranked
}

fn breed(ranked: &[(i64, Gene)], rng: &mut Rng) -> Vec<Gene> {
    let mut next: Vec<Gene> = Vec::with_capacity(ranked.len() + 1);
    for (_, gene) in ranked {
        if next.len() < ELITE && !next.contains(gene) {
            next.push(gene.clone());
        }
    }
    while next.len() < ranked.len() {
        // Ranked by fitness: the lowest index wins.
        let mut parent = || {
            let place = (0..TOURNAMENT)
                .map(|_| rng.usize(..ranked.len()))
                .min()
                .unwrap_or(0);
            ranked[place].1.clone()
        };
        let (mut one, mut other) = (parent(), parent());
        if rng.f64() < CROSSOVER {
            (one, other) = one.cross(other, rng);
        }
        for child in [one, other] {
            next.push(if rng.f64() < MUTATION {
                child.mutate(rng)
            } else {
                child
            });
        }
    }
    next.truncate(ranked.len());
    next
}

impl Trial {
    fn new(source: &str, gold: &str) -> Self {
        let mut bag = HashMap::new();
        for word in words(gold) {
            *bag.entry(word).or_insert(0) += 1;
        }
        Self {
            source: source.to_owned(),
            gold: bag,
        }
    }

    /// Points of an expression on the page; an invalid expression has the fewest.
    fn points(&self, expression: &str) -> i64 {
        let Ok(expression) = Expression::new(expression) else {
            return i64::from(i32::MIN);
        };
        let mut output: HashMap<String, i64> = HashMap::new();
        for line in expression.extract(&self.source) {
            for word in words(&line) {
                *output.entry(word).or_insert(0) += 1;
            }
        }
        // Sums of integers do not depend on the order.
        #[allow(clippy::iter_over_hash_type)]
        let points = output.iter().map(|(word, &count)| {
            let right = self.gold.get(word).copied().unwrap_or(0).min(count);
            POINTS.0 * right + POINTS.1 * (count - right)
        });
        points.sum()
    }
}

/// Lower-case words without punctuation.
fn words(text: &str) -> Vec<String> {
    word_runs(&text.to_lowercase())
        .into_iter()
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trials() -> Vec<Trial> {
        let page = |text: &str| {
            let html = format!(
                "<html><a href=/>Home page</a> <a href=/x>Site map</a><p>{text}</p><div>Imprint</div>"
            );
            Trial::new(&html, text)
        };
        vec![
            page("The herring gull drops mussels on rocks, and eats."),
            page("A mew gull is smaller. It eats worms."),
        ]
    }

    #[test]
    fn fitness_is_two_for_a_right_word_and_minus_one_for_an_excess_one() {
        let trial = Trial::new("<p>a b a c</p>d", "A b, e");
        // a and b right, the second a and c in excess.
        assert_eq!(trial.points("<p>(.*?)</p>"), 2 + 2 - 1 - 1);
        assert_eq!(trial.points(r"<p>(\w)"), 2);
        assert_eq!(trial.points("</p>(.)"), -1);
        assert_eq!((trial.points("x"), trial.points(EVERYTHING)), (0, 1));
        assert!(trial.points("(") < -1000);
    }

    #[test]
    fn fitness_rises_and_the_same_seed_gives_the_same_result() {
        let trials = trials();
        let options = Options {
            population: 40,
            generations: 15,
            seed: 7,
        };
        let generations = evolve(&trials, options, &|_, _| {});
        assert!(
            generations
                .windows(2)
                .all(|pair| pair[0].fitness <= pair[1].fitness),
            "{generations:?}"
        );
        let (first, last) = (&generations[0], &generations[generations.len() - 1]);
        assert!(
            last.fitness > first.fitness && last.mean > first.mean,
            "{generations:?}"
        );
        assert_eq!(total(&trials, &last.best.expression()), last.fitness);
        assert_eq!(evolve(&trials, options, &|_, _| {}), generations);
    }
}
