import type { TreeStructure } from '#rules/flows/structure.ts'
import { walkAll } from '#rules/flows/walk.ts'
import { countPlaces } from '#rules/text/count-places.ts'

/** How many links of a flow are checked. */
const maxCheckedLinks = 50

/** A link of a flow, with the first step that contains it. */
export interface FlowLink {
  step_id: string
  url: string
}

/**
 * The result of a check. `not_checked`: an address that the service does not call, such as one of an internal
 * network.
 */
export type LinkState = 'ok' | 'broken' | 'not_checked'

/** A link as its last check found it. */
export interface CheckedLink {
  url: string
  state: LinkState
  /** The HTTP status of the last answer; null without one. */
  status: number | null
  /** How many checks in a row found no answer or an error of the server. */
  failures: number
}

/** A longer address is not checked: many servers refuse it, and a part of it is another address. */
const maxLinkLength = 2000

const linkPattern = /https?:\/\/[^\s<>"'`{}|\\^[\]]+/gi

/**
 * Return the links in the texts and attachments of a flow, each once. Links with a placeholder are left out.
 */
export function listLinks(structure: TreeStructure): FlowLink[] {
  const stepByUrl = new Map<string, string>()
  for (const { node } of walkAll(structure)) {
    const urls = 'attachments' in node ? (node.attachments ?? []).map(({ url }) => url) : []
    for (const url of [...urls, ...findUrls(node.description ?? ''), ...findUrls(node.title ?? '')])
      if (!stepByUrl.has(url) && isCheckable(url)) stepByUrl.set(url, node.id)
  }
  return Array.from(stepByUrl, ([url, step_id]) => ({ url, step_id })).slice(0, maxCheckedLinks)
}

function isCheckable(url: string): boolean {
  return url.length <= maxLinkLength && !url.includes('{{') && URL.canParse(url)
}

function findUrls(text: string): string[] {
  const matches = Array.from(text.matchAll(linkPattern))
  // A brace after the match is the start of a placeholder, whose value is part of the address.
  return matches
    .filter((match) => text[match.index + match[0].length] !== '{')
    .map(([url]) => trimPunctuation(url))
}

/**
 * Remove the punctuation of the sentence or of markdown after a link. A parenthesis that the link opens
 * itself stays.
 */
function trimPunctuation(url: string): string {
  let end = url.length
  let looseParentheses = countPlaces(url, ')') - countPlaces(url, '(')
  for (; end > 0; end--) {
    const char = url[end - 1] ?? ''
    if (char === ')' && looseParentheses > 0) looseParentheses--
    else if (!'.,;:!?*_~'.includes(char)) break
  }
  return url.slice(0, end)
}
