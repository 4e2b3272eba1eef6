// What it shows depends on who looks, so it is not drawn before that is known.
export const ssr = false
