/** Texts for a screen whose files the hub did not deliver. */
export const unloaded = {
  title: 'The hub cannot be reached, so this page is not here',
  hint: 'You may be offline. The page is loaded by itself as soon as the hub answers.',
}
