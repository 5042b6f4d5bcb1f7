//! trial
use std::path::Path;
use vclean::evaluate::{
    DataSet,
    fidelity::{Correlations, compare, summary},
};
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let set = DataSet::open(Path::new(&args[3])).unwrap();
    let mut cor = Correlations::default();
    let mut pages = vec![];
    for row in set.rows.iter().filter(|r| format!("{:?}", r.split).contains("dev")) {
        let load = |d: &str| vclean::capture::load(&Path::new(d).join(&set.name).join(&row.id));
        let (Ok(a), Ok(b)) = (load(&args[1]), load(&args[2])) else { continue };
        let p = compare(&row.id, [&a, &b], Default::default()).unwrap();
        cor.add(&p, "visual");
        if args.len() > 4 && row.id.contains(&args[4]) {
            let mut pairs = p.fidelity.pairs.clone();
            pairs.sort();
            for (i, t) in p.targets[0].iter().enumerate() {
                let ra = a.layout.as_ref().unwrap().around(&t.texts);
                match pairs.iter().find(|x| x.0 == i) {
                    Some(&(_, j)) => {
                        let rb = b.layout.as_ref().unwrap().around(&p.targets[1][j].texts);
                        println!(
                            "{:4.0},{:5.0} {:4.0}x{:4.0} | {:4.0},{:5.0} {:4.0}x{:4.0} {}",
                            ra.x,
                            ra.y,
                            ra.width,
                            ra.height,
                            rb.x,
                            rb.y,
                            rb.width,
                            rb.height,
                            t.text(&a.dom).chars().take(50).collect::<String>()
                        );
                    }
                    None => println!(
                        "{:4.0},{:5.0} {:4.0}x{:4.0} | -- {}",
                        ra.x,
                        ra.y,
                        ra.width,
                        ra.height,
                        t.text(&a.dom).chars().take(50).collect::<String>()
                    ),
                }
            }
            for (j, t) in p.targets[1].iter().enumerate() {
                if !pairs.iter().any(|x| x.1 == j) {
                    let rb = b.layout.as_ref().unwrap().around(&t.texts);
                    println!(
                        "-- | {:4.0},{:5.0} {:4.0}x{:4.0} {}",
                        rb.x,
                        rb.y,
                        rb.width,
                        rb.height,
                        t.text(&b.dom).chars().take(50).collect::<String>()
                    );
                }
            }
        }
        pages.push(p.fidelity);
    }
    println!("{}", summary(&pages).to_text());
    for p in {
        let mut v: Vec<_> = pages.iter().collect();
        v.sort_by(|a, b| a.share_in_place().total_cmp(&b.share_in_place()));
        v
    } {
        println!(
            "{:40} {:.3} targets {:?} pairs {} place {} size {}",
            p.id,
            p.height_ratio(),
            p.targets,
            p.pairs.len(),
            p.same_place,
            p.same_size
        );
    }
    println!("{}", cor.table().to_text());
}
