import type { PagedItems } from './method-types.ts'

/**
 * Return the items of all pages. `load` sends one request; nothing is sent before the caller awaits or
 * iterates.
 */
export function createPagedItems<Item>(
  firstUrl: string,
  load: (url: string) => Promise<Response>,
): PagedItems<Item> {
  const loadPage = async (url: string) => {
    const response = await load(url)
    return { items: (await response.json()) as Item[], next: findNextPage(response.headers.get('link'), url) }
  }
  async function* pages() {
    for (let url: string | null = firstUrl; url; ) {
      const { items, next } = await loadPage(url)
      yield items
      url = next
    }
  }
  return {
    // biome-ignore lint/suspicious/noThenProperty: awaiting the items returns the first page
    then: (onItems, onError) =>
      loadPage(firstUrl)
        .then(({ items }) => items)
        .then(onItems, onError),
    pages,
    async *[Symbol.asyncIterator]() {
      for await (const items of pages()) yield* items
    },
  }
}

/**
 * Return the URL of the next page. Only its query counts: the token must not go to another origin, and a
 * proxy may hide the path.
 */
function findNextPage(link: string | null, current: string): string | null {
  const target = /<([^>]*)>;\s*rel="next"/.exec(link ?? '')?.[1]
  if (target === undefined) return null
  return current.split('?')[0] + new URL(target, current).search
}
