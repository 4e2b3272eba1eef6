// Each screen is drawn once when the console is built, without any record: that is seen until the page runs in the browser.
export const prerender = true
