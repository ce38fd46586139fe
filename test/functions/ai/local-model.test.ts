// @module-tag behaviour
import { afterAll, expect, it } from 'vitest'
import { createAiSession } from '#test/support/ai.ts'
import { startOwnService } from '#test/support/app.ts'
import { night } from '#test/support/night.ts'
import { createAccount } from '#test/support/people.ts'

// Its own database, because flows that other tests publish for every account change which words are rare.
const service = await startOwnService()
afterAll(() => service.close())

// Tickets in users' words. The flows and the rules of the local model were written without them.
const tickets: [string, string][] = [
  ['Copier on the 3rd floor is grey in the list and my jobs just sit there', 'Printer offline'],
  ['Labels do not come out of the warehouse printer, queue says error', 'Printer offline'],
  ['Nothing prints from accounting, the HP says ready on its display though', 'Printer offline'],
  ['I work from home and the tunnel to the office dies every ten minutes', 'VPN drops or does not connect'],
  ['FortiClient hangs at 98% when connecting from the hotel', 'VPN drops or does not connect'],
  ['Since the router swap at home the VPN will not come up at all', 'VPN drops or does not connect'],
  ['intranet.corp.example cannot be found in the browser, other sites open', 'Name does not resolve (DNS)'],
  ['Server name does not resolve but the IP address answers', 'Name does not resolve (DNS)'],
  ['nslookup says non-existent domain for our file server', 'Name does not resolve (DNS)'],
  ['My laptop takes 15 minutes to boot and the fan never stops', 'Slow PC'],
  ['Everything freezes when I open Excel, disk light always on', 'Slow PC'],
  ['PC got really sluggish after the weekend, memory almost full', 'Slow PC'],
  ['Got a new phone and the authenticator app lost my codes', 'Locked account or lost MFA'],
  ['Too many wrong passwords, Windows tells me the account is locked out', 'Locked account or lost MFA'],
  ['Cannot approve the MFA prompt because my phone was stolen', 'Locked account or lost MFA'],
  ['Customers say their emails to me bounce back', 'Mail does not arrive or synchronise'],
  [
    'Outlook has not received any messages since lunch, phone shows them',
    'Mail does not arrive or synchronise',
  ],
  ['Shared mailbox does not sync on my iPhone any more', 'Mail does not arrive or synchronise'],
  ['Invoices we send out end up in junk at the recipient', 'Mail does not arrive or synchronise'],
  ['Plotter shows offline after the switch was replaced', 'Printer offline'],
]

it(
  'suggests a fix from the right flow for at least 15 of 20 tickets that the local model was not written for',
  night,
  async () => {
    const { admin, addColleague } = await createAccount(service)
    const people = [admin, await addColleague()]
    const missed: string[] = []
    for (const [index, [text, flow]] of tickets.entries()) {
      const person = people[index % 2] as typeof admin
      const { id } = await createAiSession(person, { problem_summary: text })
      const { body } = await person.call('POST', `/ai-sessions/${id}/chat`, {
        message: 'Please suggest a fix.',
      })
      if (!body.suggested_fix?.description.includes(`From the flow “${flow}”`))
        missed.push(`${text} -> ${body.suggested_fix?.description.split('\n').at(-1)}`)
    }
    expect(tickets.length - missed.length, missed.join('\n')).toBeGreaterThanOrEqual(15)
  },
)

it('replies to two tickets with different texts that contain the rare word of each ticket', async () => {
  const { admin } = await createAccount(service)
  const replies: string[] = []
  for (const rareWord of ['Quuxophone', 'Flibbertigibbet']) {
    const { id } = await createAiSession(admin, { problem_summary: `The ${rareWord} does not start.` })
    const { body } = await admin.call('POST', `/ai-sessions/${id}/chat`, {
      message: `It hums, says ${rareWord}-7 and stops.`,
    })
    expect(JSON.stringify(body)).toContain(rareWord)
    replies.push(body.message.content)
  }
  expect(replies[0]).not.toBe(replies[1])
})
