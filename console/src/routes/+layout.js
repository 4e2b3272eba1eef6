// The hub serves one page for every path of the console; what it shows is read in the browser.
export const ssr = false
export const prerender = false
