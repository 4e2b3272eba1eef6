// Splits a text into words and reports each as an event. Events are part of the receipt nodes agree on.
import { emit, hash, log } from "hub";

export function words(text: string): string {
  const all = text.split(" ").filter((word) => word.length > 0);
  log("splitting " + text.length.toString() + " characters");
  for (let i = 0; i < all.length; i++)
    emit("word", '{"index":' + i.toString() + ',"keccak256":"' + hash(all[i]) + '"}');
  return all.length.toString();
}
