// wrangler.toml puts this in place of postal-mime, with which resend parses received mails. This service receives none, and the package
// would take 70 KiB of the bundle.

// biome-ignore lint/style/noDefaultExport: resend imports the default export
export default null
