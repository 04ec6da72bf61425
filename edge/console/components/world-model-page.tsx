/** A page that asks the world model alone: its form on one side, on the other the result, or what there is to see. */
import type { ComponentChildren } from "preact";
import { FormSide } from "./form-side.tsx";
import { useScrollIntoView } from "./use-scroll-into-view.ts";

type WorldModelPageProps = {
  title: string;
  intro: string;
  /** Shown before there is a result. */
  empty: string;
  form: ComponentChildren;
  /** Changes with each result. */
  shown: object | undefined;
  result: ComponentChildren;
};

export function WorldModelPage({ title, intro, empty, form, shown, result }: WorldModelPageProps) {
  const box = useScrollIntoView<HTMLDivElement>(shown);
  return (
    <div class="playground">
      <div class="intro">
        <h1>{title}</h1>
        <p>{intro}</p>
      </div>
      <FormSide>{form}</FormSide>
      <div class="right" ref={box}>
        {shown === undefined ? <p class="empty">{empty}</p> : result}
      </div>
    </div>
  );
}
