/** The field for the model's name, with a search; below it the prices of the chosen model, below the list those of the highlighted one. */
import { useEffect, useState } from "preact/hooks";
import { isLoaded, searchModels } from "../api/model-names.ts";
import { loadModels, type ModelDetails, models, readModelDetails } from "../api/models.ts";
import { Combobox, countHidden, joinHints } from "../components/controls/combobox.tsx";
import { formatCount, formatCredits } from "../components/format.ts";
import { caller } from "../session.ts";
import { useStore } from "../use-store.ts";

const maxShown = 40;
/** Shown in place of the list if it is missing. */
const listless = {
  out: "The list of models is shown once you have signed in or pasted an API key.",
  in: "The list of models is not here yet; a name can be written.",
};

export function ModelPicker({ value, onChange }: { value: string; onChange: (name: string) => void }) {
  const known = useStore(models);
  const who = useStore(caller);
  const [search, setSearch] = useState<string | undefined>();
  const [active, setActive] = useState<string | undefined>();
  const detailsOf = useDetails(active ?? value, known !== undefined);
  const found = known === undefined ? [] : searchModels(known, search ?? "");
  // The chosen model's details. Those of the highlighted one come late and go with the list: Run, below this line, would move while a
  // pointer is pressing it.
  const words = known === undefined ? listless[who === undefined ? "out" : "in"] : describe(detailsOf(value));
  return (
    <div class="field" onFocusIn={() => void loadModels()}>
      <Combobox
        label="Model"
        text={search ?? value}
        selectOnFocus
        options={found.slice(0, maxShown).map((name) => ({
          value: name,
          label: name,
          ...(known && !isLoaded(name, known) && { note: "not loaded" }),
        }))}
        onText={setSearch}
        {...(known === undefined && { nothing: "" })}
        onTake={(name) => {
          setSearch(undefined);
          onChange(name);
        }}
        onClose={(cancelled) => {
          // A name that is typed in full is taken, and without a list, where nothing can be chosen, any.
          const typed = search?.trim();
          const isTaken = known === undefined || (!cancelled && known.chat.includes(typed ?? ""));
          if (typed && isTaken) onChange(typed);
          setSearch(undefined);
        }}
        onActive={setActive}
        foot={joinHints(active && describe(detailsOf(active)), countHidden(found.length, maxShown))}
      />
      <p class="hint model-words">{words}</p>
    </div>
  );
}

/** Reads the details of `name`. @returns those read so far, by name */
function useDetails(name: string, ready: boolean): (name: string) => ModelDetails | undefined {
  const [read, setRead] = useState<ReadonlyMap<string, ModelDetails | undefined>>(new Map());
  useEffect(() => {
    if (!ready) return;
    let wanted = true;
    // Debounced, so that arrow keys ask only for the name on which they rest.
    const timer = setTimeout(async () => {
      const details = await readModelDetails(name);
      if (wanted) setRead((before) => new Map(before).set(name, details));
    }, 120);
    return () => {
      wanted = false;
      clearTimeout(timer);
    };
  }, [name, ready]);
  return (wished) => read.get(wished);
}

function describe(details: ModelDetails | undefined): string {
  if (details === undefined) return "";
  const { pricing, context_length: context, loaded } = details;
  const price = (label: string, credits: number | null | undefined) =>
    credits == null ? [] : [`${label} ${formatCredits(credits)}`];
  const prices = [
    ...price("in", pricing?.prompt),
    ...price("out", pricing?.completion),
    ...price("planning", pricing?.planning),
  ];
  return [
    loaded === false && "This world model is not loaded here.",
    prices.length > 0 && `Credits per 1M tokens: ${prices.join(", ")}.`,
    context != null && `Context ${formatCount(context)}.`,
  ]
    .filter(Boolean)
    .join(" ");
}
