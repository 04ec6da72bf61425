/**
 * Names of our own making and the action each amounts to, as training/mapping.py said on 2026-11-20 with the
 * numbers below and `spell` for an encoder: vectors of letters, so that a new encoder leaves the table true.
 */
import { norm } from "../../../gpu-worker/world-model/vectors.ts";

/** VERB_BONUS, OBJECT_BONUS, SPOKEN_BONUS, UNKNOWN_BELOW of mapping.py. */
export const toolAction = { verbBonus: 0.25, objectBonus: 0.15, spokenBonus: 0.4, unknownBelow: 0.58 };

const width = 512;

/** A text's triples of letters as a unit vector; all zeros for a text without any. */
export function spell(text: string): Float32Array {
  const vector = new Float32Array(width);
  for (const word of text.toLowerCase().match(/[a-z0-9]+/g) ?? []) {
    const marked = `^${word}$`;
    for (let at = 0; at + 3 <= marked.length; at++) {
      const [first, second, third] = [0, 1, 2].map((place) => marked.charCodeAt(at + place));
      vector[(first! * 961 + second! * 31 + third!) % width]! += 1;
    }
  }
  const length = norm(vector) || 1;
  return vector.map((count) => count / length);
}

export const mappedNames: readonly (readonly [name: string, action: string])[] = [
  ["search", "search"],
  ["search_flights", "search_flight"],
  ["findHotels", "search_hotel"],
  ["mcp__calendar__create_event", "create_event"],
  ["slack_post_message", "post_message"],
  ["order_status", "order_food"],
  ["book_hotel", "book_hotel"],
  ["pull_request.merge", "merge"],
  ["getUserByID", "get_user"],
  ["get_weather_by_city", "get_weather"],
  ["removeCartItem", "delete_item"],
  ["ask_user", "ask_user"],
  ["hotel_ask_date", "ask_date"],
  ["AskPaymentMethod", "ask_payment_method"],
  ["inform_count", "inform_count"],
  ["trip.inform_status", "inform_status"],
  ["notify_failure", "notify_failure"],
  ["notifyUser", "notify_customer"],
  ["offer_choice", "offer_choice"],
  ["list_offers", "list_user"],
  ["get_offer", "get_order"],
  ["confirm", "confirm"],
  ["confirm_booking", "confirm_booking"],
  ["booking_confirm", "confirm_booking"],
  ["restaurant_offer_alternative", "offer_alternative"],
  ["OfferResults", "offer_result"],
  ["confirmPayment", "confirm_payment"],
  ["askForLocation", "ask_location"],
  ["inform", "unk"],
  ["ask", "ask_quantity"],
  ["notify", "notify_customer"],
  ["pad", "unk"],
  ["unk", "unk"],
  ["noop", "unk"],
  ["start_task", "start_task"],
  ["end_call", "start_call"],
  ["send_email", "send_email"],
  ["sendMessageToContact", "send_message"],
  ["payments/refund", "refund"],
  ["cancelSubscription", "cancel_subscription"],
  ["turn_off_lights", "turn_off_light"],
  ["translate_text", "translate_text"],
  ["convertCurrency_v2", "convert_currency"],
  ["play-music", "play_music"],
  ["set_alarm", "set_alarm"],
  ["add_to_cart", "add_item"],
  ["track_shipment", "track_shipment"],
  ["getHTTPStatus", "get_status"],
  ["run_sql_query", "run_query"],
  ["qzx_77", "unk"],
  ["mail:delete", "delete"],
  ["shop__checkout", "go_to_checkout"],
  ["open_tab", "new_tab"],
  ["scroll_down", "scroll_down"],
  ["ask_price", "ask_budget"],
  ["wait", "wait"],
  ["undo", "undo"],
  ["logIn", "login"],
  ["transferMoney_between_accounts", "transfer"],
  ["weather", "check_weather"],
  ["calendar.events.list", "list"],
];
