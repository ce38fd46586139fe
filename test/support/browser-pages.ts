import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { beforeAll, onTestFinished, type TestContext } from 'vitest'
import { openBrowser } from './browser.ts'

/**
 * A page that records its requests and its problems: failed requests, error statuses, console errors and
 * exceptions.
 */
export interface WatchedPage {
  page: Page
  requestedUrls: string[]
  problems: string[]
}

let sharedBrowser: Promise<Browser> | undefined

/**
 * Start the browser of the test files of this process, whose pages share nothing. It ends with the process.
 */
function shareBrowser(): Promise<Browser> {
  sharedBrowser ??= openBrowser()
  return sharedBrowser
}

/** Return a function that opens a page in the shared browser, or skips the test where no browser starts. */
export function useBrowserPages(): (
  context: TestContext,
  options?: BrowserContextOptions,
) => Promise<WatchedPage> {
  let browser: Browser | undefined
  let skipReason = ''
  beforeAll(async () => {
    browser = await shareBrowser().catch((error: Error) => {
      skipReason = `No browser starts on this machine: ${error.message.split('\n')[0]}`
      console.warn(`The pages were not tested. ${skipReason}`)
      return undefined
    })
  })
  return async (context, options = {}) => {
    if (!browser) return context.skip(skipReason)
    const page = await browser.newPage(options)
    onTestFinished(() => page.close())
    return watchPage(page)
  }
}

function watchPage(page: Page): WatchedPage {
  page.setDefaultTimeout(60_000)
  const requestedUrls: string[] = []
  const problems: string[] = []
  page.on('request', (request) => requestedUrls.push(request.url()))
  // A response whose body is not read before the page reloads counts as aborted.
  page.on(
    'requestfailed',
    (request) =>
      request.failure()?.errorText !== 'net::ERR_ABORTED' && problems.push(`${request.url()} failed`),
  )
  page.on(
    'response',
    (response) => response.status() >= 400 && problems.push(`${response.url()} ${response.status()}`),
  )
  page.on(
    'console',
    (message) => ['error', 'warning'].includes(message.type()) && problems.push(message.text()),
  )
  page.on('pageerror', (error) => problems.push(error.message))
  return { page, requestedUrls, problems }
}
