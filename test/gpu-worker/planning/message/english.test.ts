// Which goals are taken for English.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { isEnglish } from "../../../../gpu-worker/planning/message/english.ts";
import { createTokenizer, TokenizerFile } from "../../../../gpu-worker/world-model/tokenizer.ts";

const file = new URL("../../../../gpu-worker/checkpoints/base/tokenizer.json", import.meta.url);
const { isWord } = createTokenizer(TokenizerFile.parse(JSON.parse(readFileSync(file, "utf8"))));
const read = (goal: string) => isEnglish(goal, isWord);

describe("a goal", () => {
  it.each([
    "Book a table at Osteria Francescana for Giulia and Marco",
    "Ship 40 pallets to Rotterdam",
    "CANCEL MY HOTEL RESERVATION IN ROME",
    "plese remnd me too cal the dentits tomorow at 9",
    "Translate this into English: 今天天气很好",
    "Check Deutsche Bahn trains Cologne to Berlin",
    "Call Oluwaseun Adeyemi",
    "Fix TypeError in fetchUserProfile useEffect",
    "npm install eslint prettier",
    "Restart PostgreSQL, Redis, RabbitMQ",
    "Refill metformin, lisinopril and atorvastatin",
    "Draft affidavit, subpoena duces tecum",
    "Book El Celler de Can Roca tonight",
    "Wire 500 EUR DE89370400440532013000",
    "Translate this into English: Liebe Bürgerinnen und Bürger, am Sonntag ist die Wahl. Die Lokale sind von 8 bis 18 Uhr offen",
    "Concatenate part1.txt and part2.txt",
    "déjà vu in one of my cafés",
    "merci",
    "42",
    "👍",
    "",
  ])("is taken for English: %s", (goal) => {
    expect(read(goal)).toBe(true);
  });

  it.each([
    "Bestell mir eine große Pizza mit Pilzen",
    "Compra dos entradas para el concierto del sábado",
    "Me gustaría cancelar la suscripción de mi cuenta",
    "Cancela mi suscripción",
    "Bestell eine Pizza",
    "Traduis cette phrase en anglais",
    "Cerca un idraulico vicino a casa mia",
    "Agende uma reunião com a Carla na terça",
    "Stuur een mailtje naar Piet over de vergadering",
    "Hitta billigaste tåget till Malmö",
    "Rezervă o masă pentru patru persoane",
    "把这个文件发给李雷",
    "カレンダーに会議を追加して",
    "Переведи это на английский",
    "احجز لي رحلة إلى دبي",
    "मेरा बैलेंस बताओ",
  ])("is known to be in another language: %s", (goal) => {
    expect(read(goal)).toBe(false);
  });
});
