"""General similarity: does a fine-tuned encoder still find the sentence that says the same? Pairs of our own making."""
import numpy as np

PAIRS = [
    ("The cat slept on the warm windowsill.", "A kitty was napping on the sunny ledge by the window."),
    ("He finished the marathon in under four hours.", "It took him less than four hours to run the whole marathon."),
    ("The bridge was closed because of strong winds.", "Heavy gusts forced officials to shut the bridge."),
    ("She inherited the house from her grandmother.", "Her grandma left her the home."),
    ("Interest rates rose for the third time this year.", "Borrowing costs went up once more, the third increase this year."),
    ("The recipe needs two cups of flour.", "You have to use two cups of flour for this dish."),
    ("Our flight leaves at six in the morning.", "We are flying out at 6 am."),
    ("The company laid off a tenth of its staff.", "Ten percent of the firm's employees lost their jobs."),
    ("I forgot where I parked the car.", "I can't remember where my car is parked."),
    ("The museum is free on Sundays.", "On Sundays there is no charge to enter the museum."),
    ("Vaccines protect children from many diseases.", "Immunisation keeps kids safe from a lot of illnesses."),
    ("The lake freezes every winter.", "Each winter ice covers the lake."),
    ("He apologised for being late.", "He said sorry because he did not arrive on time."),
    ("The battery lasts about ten hours.", "You get around ten hours of use from one charge."),
    ("They are getting married in June.", "Their wedding will take place in June."),
    ("The novel is set in nineteenth century Paris.", "The story takes place in Paris during the 1800s."),
    ("This phone is too expensive for me.", "I can't afford this phone."),
    ("The team lost the final by one goal.", "They were beaten in the final by a single goal."),
    ("Plants need light and water to grow.", "Without sunshine and water, plants cannot grow."),
    ("The password must have twelve characters.", "Your password has to be twelve characters long."),
    ("It has not rained here for two months.", "There has been no rain in this area for two months."),
    ("The old theatre was turned into a library.", "They converted the former theater into a library."),
    ("Please keep your voice down.", "Could you speak more quietly?"),
    ("The judge dismissed the case.", "The court threw the lawsuit out."),
    ("My computer is running very slowly.", "My PC has become extremely slow."),
    ("The bakery sells fresh bread every morning.", "Each morning you can buy newly baked bread at the bakery."),
    ("She plays the violin in an orchestra.", "She is an orchestra violinist."),
    ("The road to the village is steep and narrow.", "A narrow, steep road leads up to the village."),
    ("Scientists discovered a new species of frog.", "A previously unknown frog was found by researchers."),
    ("He would rather read than watch television.", "He prefers books to TV."),
]


def measure(encode):
    """Share of sentences whose paraphrase is the nearest of all others, and the mean margin over the next one."""
    vectors = encode([sentence for pair in PAIRS for sentence in pair])
    likeness = vectors @ vectors.T
    np.fill_diagonal(likeness, -1)
    partner = np.arange(len(vectors)) ^ 1
    own = likeness[np.arange(len(vectors)), partner]
    rest = likeness.copy()
    rest[np.arange(len(vectors)), partner] = -1
    return {"nearest": float((own > rest.max(1)).mean()), "margin": float((own - rest.max(1)).mean()), "mean_pair": float(own.mean())}
