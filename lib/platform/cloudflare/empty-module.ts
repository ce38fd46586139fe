// The bundle has this in place of packages that parts of libraries load which this service does not use:
// postal-mime, with which resend parses received mails (70 KiB), and all of jose, with which the client of
// MCP servers signs in by OAuth (12 KiB, compressed).

// biome-ignore lint/style/noDefaultExport: resend imports the default export
export default null
