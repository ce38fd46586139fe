import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, onTestFinished, type TestContext } from 'vitest'
import { openBrowser } from './browser.ts'

/** A page that writes down what it asks for and what goes wrong in it. */
export interface Watched {
  page: Page
  asked: string[]
  wrong: string[]
}

/** A browser for the file that calls this; the function it answers opens a page, or skips the test where no browser starts. */
export function browserPages(): (context: TestContext) => Promise<Watched> {
  let browser: Browser | undefined
  let why = ''
  beforeAll(async () => {
    browser = await openBrowser().catch((error: Error) => {
      why = `No browser starts on this machine: ${error.message.split('\n')[0]}`
      console.warn(`The pages were not tested. ${why}`)
      return undefined
    })
  })
  afterAll(() => browser?.close())
  return async (context) => {
    if (!browser) return context.skip(why)
    const page = await browser.newPage()
    onTestFinished(() => page.close())
    return watch(page)
  }
}

function watch(page: Page): Watched {
  page.setDefaultTimeout(15_000)
  const asked: string[] = []
  const wrong: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  // An answer whose body nobody reads before the page reloads counts as aborted.
  page.on('requestfailed', (request) => request.failure()?.errorText !== 'net::ERR_ABORTED' && wrong.push(`${request.url()} failed`))
  page.on('response', (response) => response.status() >= 400 && wrong.push(`${response.url()} ${response.status()}`))
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && wrong.push(message.text()))
  page.on('pageerror', (error) => wrong.push(error.message))
  return { page, asked, wrong }
}
