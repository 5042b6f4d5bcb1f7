//! Bootstrap intervals of figures over pages, with sites resampled. Reports call them `95 %`.
//!
//! Pages of one site share their template and go right or wrong together, so a bootstrap over pages
//! gives intervals that are too narrow. Here sites are drawn with replacement, each with all its
//! pages, as many as there are (the cluster bootstrap: Davison and Hinkley 1997, section 3.8; Field
//! and Welsh 2007, "Bootstrapping clustered data"). The interval holds the middle 95 % of the
//! figures of the resamples (percentile method).

use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;

/// Number of resamples: the ends of the interval are its 25th smallest and largest figures, which
/// vary little then (Davison and Hinkley 1997, section 5.2.3, ask for about 1,000). The article
/// benchmark uses the same number.
pub(crate) const RESAMPLES: usize = 1000;
/// Fewest sites for an interval. Five sites have 126 different resamples; fewer have hardly any,
/// and the interval would be far too narrow.
pub(crate) const MIN_SITES: usize = 5;

/// The lower and upper end of an interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Interval(pub f64, pub f64);

impl Interval {
    /// True if the interval contains `figure`; its ends belong to it.
    pub fn holds(self, figure: f64) -> bool {
        self.0 <= figure && figure <= self.1
    }
}

impl fmt::Display for Interval {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(low, high) = self;
        if *low < 0.0 {
            write!(out, "{low:+.3} to {high:+.3}")
        } else {
            write!(out, "{low:.3}-{high:.3}")
        }
    }
}

/// The pages of each site, by number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sites {
    pages: Vec<Vec<usize>>,
}

impl Sites {
    /// Groups pages by the site of each.
    pub(crate) fn group<'a>(site_of_page: impl IntoIterator<Item = &'a str>) -> Self {
        let mut sites: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (page, site) in site_of_page.into_iter().enumerate() {
            sites.entry(site).or_default().push(page);
        }
        Self {
            pages: sites.into_values().collect(),
        }
    }

    pub(crate) fn count(&self) -> usize {
        self.pages.len()
    }

    /// Interval of the mean of `values`, one per page; `None` for fewer than [`MIN_SITES`] sites,
    /// and where all resamples have the same mean. The same seed gives the same interval.
    pub(crate) fn interval_of_mean(&self, values: &[f64], seed: u64) -> Option<Interval> {
        let sum = |pages: &Vec<usize>| {
            (
                pages.iter().map(|&page| values[page]).sum::<f64>(),
                pages.len(),
            )
        };
        let sums: Vec<(f64, usize)> = self.pages.iter().map(sum).collect();
        self.interval_of_sites(seed, |drawn| {
            let (sum, count) = drawn.iter().fold((0.0, 0), |(sum, count), &site| {
                let (of_site, pages) = sums[site];
                (sum + of_site, count + pages)
            });
            sum / count as f64
        })
    }

    /// The interval of a figure that is not a mean; `figure` gets page numbers.
    pub(crate) fn interval(&self, seed: u64, figure: impl Fn(&[usize]) -> f64) -> Option<Interval> {
        self.interval_of_sites(seed, |drawn| {
            let pages: Vec<usize> = drawn
                .iter()
                .flat_map(|&site| self.pages[site].iter().copied())
                .collect();
            figure(&pages)
        })
    }

    fn interval_of_sites(&self, seed: u64, figure: impl Fn(&[usize]) -> f64) -> Option<Interval> {
        let count = self.pages.len();
        if count < MIN_SITES {
            return None;
        }
        let mut random = fastrand::Rng::with_seed(seed);
        let mut drawn = vec![0; count];
        let mut figures: Vec<f64> = (0..RESAMPLES)
            .map(|_| {
                drawn.fill_with(|| random.usize(..count));
                figure(&drawn)
            })
            .collect();
        figures.sort_by(f64::total_cmp);
        // If all pages are alike, such as no page under .5, nothing is known about how much other
        // sites would differ.
        if figures.first() == figures.last() {
            return None;
        }
        let at = |share: f64| figures[((RESAMPLES - 1) as f64 * share).round() as usize];
        Some(Interval(at(0.025), at(0.975)))
    }
}

/// A figure with its interval, such as `0.923 (0.901-0.941)`; without parentheses if there is no
/// interval.
pub fn show(figure: f64, interval: Option<Interval>) -> String {
    match interval {
        Some(interval) => format!("{figure:.3} ({interval})"),
        None => format!("{figure:.3}"),
    }
}

/// A difference with its interval, such as `-0.012 (-0.020 to -0.003)`: with signs.
pub(crate) fn show_difference(difference: f64, interval: Option<Interval>) -> String {
    match interval {
        Some(Interval(low, high)) => format!("{difference:+.3} ({low:+.3} to {high:+.3})"),
        None => format!("{difference:+.3}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values from 0 to .98, one per page.
    fn values() -> Vec<f64> {
        (0..50).map(|index| f64::from(index) / 50.0).collect()
    }

    fn sites(site_of: impl Fn(usize) -> usize) -> Sites {
        let names: Vec<String> = (0..50)
            .map(|page| format!("site {}", site_of(page)))
            .collect();
        Sites::group(names.iter().map(String::as_str))
    }

    #[test]
    fn the_interval_holds_the_mean_and_repeats() {
        let alone = sites(|page| page);
        let Interval(low, high) = alone.interval_of_mean(&values(), 1).unwrap();
        assert!(low < 0.49 && 0.49 < high && high - low < 0.2);
        assert_eq!(
            alone.interval_of_mean(&values(), 1),
            Some(Interval(low, high))
        );
        assert_ne!(
            alone.interval_of_mean(&values(), 2),
            Some(Interval(low, high))
        );
        let largest =
            |pages: &[usize]| pages.iter().map(|&page| values()[page]).fold(0.0, f64::max);
        let Interval(low, high) = alone.interval(1, largest).unwrap();
        assert!(low > 0.8 && high == 0.98, "{low} {high}");
    }

    #[test]
    fn sites_whose_pages_are_alike_give_a_wider_interval() {
        let width = |sites: &Sites| {
            let Interval(low, high) = sites.interval_of_mean(&values(), 1).unwrap();
            high - low
        };
        // Five pages of similar values to a site: the standard error is about sqrt(5) times that of
        // single pages.
        let (alone, alike) = (width(&sites(|page| page)), width(&sites(|page| page / 5)));
        assert!(alike > 1.7 * alone, "{alike} {alone}");
        // The mean over pages by the general form and by sums of sites are the same figure.
        let of_pages = |pages: &[usize]| {
            pages.iter().map(|&page| values()[page]).sum::<f64>() / pages.len() as f64
        };
        let Interval(low, high) = sites(|page| page / 7).interval(3, of_pages).unwrap();
        let by_sums = sites(|page| page / 7)
            .interval_of_mean(&values(), 3)
            .unwrap();
        assert!((low - by_sums.0).abs() < 1e-12 && (high - by_sums.1).abs() < 1e-12);
    }

    #[test]
    fn few_sites_and_equal_values_have_no_interval() {
        assert_eq!(sites(|page| page).interval_of_mean(&[0.0; 50], 1), None);
        assert!(
            sites(|page| page % 5)
                .interval_of_mean(&values(), 1)
                .is_some()
        );
        assert_eq!(sites(|page| page % 4).interval_of_mean(&values(), 1), None);
        assert_eq!(Sites::group([]).interval(1, |_| 1.0), None);
    }

    #[test]
    fn figures_and_differences_are_readable() {
        assert_eq!(
            show(0.923, Some(Interval(0.901, 0.941))),
            "0.923 (0.901-0.941)"
        );
        assert_eq!(show(0.923, None), "0.923");
        assert_eq!(
            show_difference(-0.012, Some(Interval(-0.02, 0.003))),
            "-0.012 (-0.020 to +0.003)"
        );
        assert_eq!(Interval(-0.02, 0.003).to_string(), "-0.020 to +0.003");
    }
}
