// What names and texts of a page's parts say that they are no part of its article. A test tries each of them.

import { toNameKey } from '#rules/text/fold.ts'

interface FurnitureRule {
  /** What such parts are. */
  reason: string
  /** Words of class names and ids, in lower case. */
  names: readonly string[]
}

/** A word is matched as a whole, so that `navbar` is not found in `unavailable`. */
export const furnitureRules: readonly FurnitureRule[] = [
  { reason: 'asks for consent to cookies', names: ['cookie', 'cookies', 'consent', 'gdpr', 'onetrust'] },
  { reason: 'shows where the page is in its site', names: ['breadcrumb', 'breadcrumbs', 'crumbs'] },
  {
    reason: 'repeats the headings of the page as links',
    names: [
      'toc',
      'tableofcontents',
      'table-of-contents',
      'on-this-page',
      'in-this-article',
      'page-outline',
      'doc-outline',
    ],
  },
  {
    reason: 'is the table of contents of a Confluence macro',
    names: ['tocmacro', 'rbtoc', 'toccollapsible'],
  },
  { reason: 'shares the page', names: ['share', 'sharing', 'social', 'addtoany', 'copy-permalink'] },
  {
    reason: 'leads to other pages',
    names: ['related', 'yarpp', 'recommended', 'recommendations', 'more-questions'],
  },
  { reason: 'asks whether the page helped', names: ['feedback', 'vote', 'votes', 'rating', 'helpful'] },
  {
    reason: 'navigates the site',
    names: [
      'sidebar',
      'leftnav',
      'rightnav',
      'subnav',
      'sub-nav',
      'nav',
      'navbar',
      'navheader',
      'navfooter',
      'navigation',
      'main-menu',
    ],
  },
  {
    reason: 'is the frame of every page',
    names: ['site-header', 'site-footer', 'site-nav', 'topbar', 'footer', 'widget-area'],
  },
  { reason: 'leads to the page before or after', names: ['pagination', 'pager', 'prev-next'] },
  { reason: 'advertises', names: ['newsletter', 'subscribe', 'promo', 'advert', 'advertisement', 'ads'] },
  { reason: 'is written by readers', names: ['comment', 'comments', 'comments-area'] },
  {
    reason: 'describes the page: its author, its date, its version',
    names: [
      'author-box',
      'author-bio',
      'byline',
      'article-meta',
      'entry-meta',
      'post-meta',
      'page-metadata',
      'version-badge',
    ],
  },
  {
    reason: 'skips the frame',
    names: ['skip-link', 'skip-nav', 'skip-navigation', 'skip-to-main-link', 'skip-to-content'],
  },
  { reason: 'edits or prints the page', names: ['edit-this-page', 'page-actions', 'kb-actions'] },
  { reason: 'is the bar above a block of code', names: ['codeheader', 'code-toolbar__buttons'] },
  {
    reason: 'counts the lines of a block of code',
    names: [
      'linenos',
      'lineno',
      'linenodiv',
      'hljs-ln-numbers',
      'rouge-gutter',
      'line-numbers-rows',
      'blob-num',
    ],
  },
  {
    reason: 'searches the site',
    names: [
      'searchbox',
      'searchform',
      'searchpanel',
      'searchbar',
      'search-box',
      'search-form',
      'search-panel',
      'search-bar',
    ],
  },
  {
    reason: 'is read to blind people only, and says what a picture shows to others',
    names: ['visually-hidden', 'sr-only', 'screen-reader-text'],
  },
  {
    reason: 'is the frame of a page that Confluence has exported',
    names: ['pagesectiontitle', 'greybox', 'pagesection'],
  },
]

/** Titles of lists of links that are no part of the article, in lower case. */
export const furnitureTitles: readonly string[] = [
  // The headings of the page again.
  ...['contents', 'table of contents', 'on this page', 'in this article', 'in this section', 'in this page'],
  // Other pages.
  ...[
    'articles in this section',
    'you may also like',
    'recent posts',
    'recent articles',
    'additional resources',
    'attachments',
  ],
  ...['articles', 'content', 'posts', 'topics', 'links', 'pages'].map((pages) => `related ${pages}`),
  ...['articles', 'reading', 'for you'].map((pages) => `recommended ${pages}`),
  // The site.
  ...['navigation', 'menu', 'main menu'],
  // What readers are asked for.
  ...['helpful', 'help', 'did this help', 'did this helpful', 'feedback'],
  ...['article', 'page', 'topic', 'information'].flatMap((page) => [
    `was this ${page} helpful`,
    `was this ${page} help`,
  ]),
  ...['share', 'share this', 'share this article', 'share this page', 'share this post'],
]

/** Short texts that are no part of the article, in lower case. */
export const furnitureLines: readonly string[] = [
  ...['skip to content', 'skip to main content', 'back to top'],
  ...[
    'edit this page',
    'copy link',
    'copy permalink',
    'copy code',
    'print',
    'print this',
    'print page',
    'print this page',
  ],
  ...['share this', 'share this article', 'share this page'],
]

/** Questions and votes, after which a page has its own words. */
const furnitureQuestion =
  /^(?:was this (?:article|page|topic|information|content) helpful\b.{0,20}|did this (?:article|page) help\b.{0,20}|\d+ out of \d+ found this helpful)$/i

const titles = new Set(furnitureTitles)
const lines = new Set(furnitureLines)

/** Return whether a text is the title of a list that is no part of the article. */
export function isFurnitureTitle(text: string): boolean {
  return titles.has(toNameKey(text.replace(/(?<![\s:?])[\s:?]+$/, '')))
}

/** Return whether a short text is no part of the article. */
export function isFurnitureLine(text: string): boolean {
  return lines.has(toNameKey(text)) || furnitureQuestion.test(text.trim())
}

/** Names that only describe the page around them, such as `has-sidebar`. */
const descriptiveNames = /(?:^|\s)(?:has|with|without|no|is)-\S+/gi

/** Names of notes, which some generators write as `<aside>`. */
const noteNames = 'admonition callout note notice warning caution important tip hint info danger alert'.split(
  ' ',
)
/** Names of links that only mark the place of a heading. */
const anchorNames =
  'headerlink header-anchor heading-anchor anchor-link anchorjs-link hash-link permalink'.split(' ')

const toPattern = (names: readonly string[]) =>
  new RegExp(`(?:^|[\\s_-])(?:${names.join('|')})(?:$|[\\s_-])`, 'i')
const furniturePattern = toPattern(furnitureRules.flatMap(({ names }) => names))
const notePattern = toPattern(noteNames)
const anchorPattern = toPattern(anchorNames)

/** What the class and the id of an element say about it. */
export interface NamedTraits {
  isFurniture: boolean
  isNote: boolean
  isHeadingAnchor: boolean
}

/** Read at most 500 characters of the class and the id of an element. */
export function readNames(attributes: Readonly<Record<string, string | undefined>>): NamedTraits {
  const names = `${attributes.class ?? ''} ${attributes.id ?? ''}`
    .slice(0, 500)
    .replace(descriptiveNames, ' ')
  return {
    isFurniture: furniturePattern.test(names),
    isNote: notePattern.test(names),
    isHeadingAnchor: anchorPattern.test(names),
  }
}
