import { expect, it } from 'vitest'
import { sharedService } from '#test/support/app.ts'
import { exportSession, textFormats } from '#test/support/exports.ts'
import { createAccount } from '#test/support/people.ts'
import { createChildFlow, createParentFlow, startRun } from '#test/support/subflows.ts'

const service = await sharedService()

/**
 * Run a flow with a sub-flow that runs another one, and return the outer session. The first run of the
 * sub-flow was cancelled.
 */
async function runScene() {
  const { admin } = await createAccount(service)
  const inner = await createChildFlow(admin)
  const middle = await createParentFlow(
    admin,
    inner.id,
    { inputs: { server: '{{host}}' } },
    { name: 'Check the tunnel' },
  )
  const outer = await createParentFlow(
    admin,
    middle.id,
    { inputs: { host: '{{host}}' } },
    { name: 'VPN is down' },
  )
  const parent = await startRun(admin, outer.id, { host: 'srv-vpn-01' })
  const { sessions } = admin.client
  const cancelled = await sessions.subflows.start({ session_id: parent.id })
  await sessions.steps.complete({ session_id: cancelled.id, outcome: 'cancelled', notes: 'Wrong gateway' })
  const child = await sessions.subflows.start({ session_id: parent.id })
  const grandchild = await sessions.subflows.start({ session_id: child.id })
  await sessions.steps.recordDecision({
    session_id: grandchild.id,
    step_id: 'snapshot',
    outcome: 'done',
    note: 'Named before-patch',
  })
  await sessions.notes.addSupportingData({
    session_id: grandchild.id,
    kind: 'text',
    title: 'Log',
    content: 'tunnel up',
    step_id: 'snapshot',
  })
  await sessions.steps.complete({ session_id: grandchild.id, outcome: 'resolved' })
  await sessions.steps.complete({ session_id: child.id, outcome: 'resolved' })
  return { admin, parent, child }
}

it.each(textFormats)('SUB-14 exports the steps of the sub-flows as %s, at every level', async (format) => {
  const { admin, parent } = await runScene()
  const { text } = await exportSession(admin, parent.id, `?format=${format}`)
  const plain = text.replaceAll('\\', '')
  for (const part of [
    'Check the tunnel: Cancelled',
    'Wrong gateway',
    'Check the tunnel: Resolved',
    'Patch a server: Resolved',
  ])
    expect(plain).toContain(part)
  for (const part of [
    '1.2. Check the VPN',
    '1.2.1. Take a snapshot of srv-vpn-01',
    'Named before-patch',
    'tunnel up',
  ])
    expect(plain).toContain(part)
  expect(plain.indexOf('1.2.1. Take')).toBeGreaterThan(plain.indexOf('1. Check the VPN'))
  expect(plain.indexOf('2. Call')).toBeGreaterThan(plain.indexOf('tunnel up'))
  expect(plain.split('tunnel up')).toHaveLength(2)
})

it('SUB-14 exports a sub-flow alone with its own steps', async () => {
  const { admin, child } = await runScene()
  const { text } = await exportSession(admin, child.id, '?format=ticket-note')
  expect(text).toContain('1.1. Take a snapshot of srv-vpn-01')
  expect(text).not.toContain('VPN is down')
})

it('SUB-14 shows a running sub-flow before the step that waits for it', async () => {
  const { admin } = await createAccount(service)
  const flow = await createParentFlow(admin, (await createChildFlow(admin)).id)
  const parent = await startRun(admin, flow.id)
  await admin.client.sessions.subflows.start({ session_id: parent.id })
  const { text } = await exportSession(admin, parent.id, '?format=ticket-note')
  expect(text).toContain('Steps:\n== Before ==\n1.1. Take a snapshot of {{server}}')
  expect(text).toContain('Current step:\n1. Check the VPN\n   Sub-flow: Patch a server: In progress')
})

it('SUB-14 masks the steps of sub-flows in a masked export', async () => {
  const { admin } = await createAccount(service)
  const flow = await createParentFlow(admin, (await createChildFlow(admin)).id)
  const parent = await startRun(admin, flow.id)
  const child = await admin.client.sessions.subflows.start({ session_id: parent.id })
  await admin.client.sessions.steps.complete({
    session_id: child.id,
    outcome: 'resolved',
    notes: 'Temporary password: Winter2026!',
  })
  const { text } = await exportSession(admin, parent.id, '?format=text&mask=true')
  expect(text).toContain('Notes of the sub-flow')
  expect(text).not.toContain('Winter2026')
})
