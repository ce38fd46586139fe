import {
  type ApiError,
  type Client,
  type FlowListItem,
  isApiError,
  type ServerEvent,
  type Session,
  type SessionResponse,
} from '#client/client.ts'

// These lines must not compile. `npm run check` fails when one does, because its expected error is missing.

export async function checkMethods(client: Client, error: unknown) {
  const team = await client.accounts.teams.create({ name: 'Night shift' })
  team.id satisfies string
  // @ts-expect-error a field must be declared
  team.color
  // @ts-expect-error an operation must exist
  client.accounts.teams.explode
  // @ts-expect-error a required field of the body is missing
  client.accounts.teams.create({})
  // @ts-expect-error a required input is missing
  client.accounts.teams.create()
  // @ts-expect-error a field of the body has its type
  client.accounts.teams.create({ name: 1 })
  // @ts-expect-error a field of the path is missing
  client.accounts.teams.rename({ name: 'Day shift' })
  // @ts-expect-error an unknown field is not sent
  client.accounts.teams.create({ name: 'Night shift', colour: 'red' })
  // @ts-expect-error a value of the query must be in the list
  client.flows.trees.list({ sort_by: 'colour' })
  client.flows.trees.list({ sort_by: undefined })
  client.flows.trees.list()
  // @ts-expect-error an operation without input takes no fields
  client.identity.auth.getMe({ id: 'a' })
  client.identity.auth.getMe(undefined, { signal: new AbortController().signal })
  // @ts-expect-error an option must exist
  client.identity.auth.getMe(undefined, { timeout: 1 })
  // @ts-expect-error the operation has no task
  client.accounts.teams.create({ name: 'Night shift' }, { background: true })
  // @ts-expect-error a vendor calls this operation
  client.billing.receiveWebhook

  const signIn = await client.identity.auth.login({
    email: 'dana@northwind.example',
    password: 'violet-tractor-81',
  })
  // @ts-expect-error the answer is a challenge for a user with a second factor
  signIn.access_token
  if ('access_token' in signIn) signIn.access_token satisfies string

  const flows = await client.flows.trees.list()
  flows satisfies { name: string }[]
  for await (const flow of client.flows.trees.list()) flow.name satisfies string
  // @ts-expect-error an operation without pages cannot be iterated
  for await (const me of client.identity.auth.getMe()) me satisfies object

  const message = { session_id: 'a', message: 'It is offline' }
  const reply = await client.ai.turns.sendMessage(message)
  // @ts-expect-error the answer has no task
  reply.task_id
  const task = await client.ai.turns.sendMessage(message, { background: true })
  task.task_id satisfies string
  for await (const event of client.ai.turns.sendMessage.stream(message)) {
    event satisfies ServerEvent
    if (event.event === 'delta') event.data.text satisfies string
    if (event.event === 'message') event.data.message.content satisfies string
    // @ts-expect-error the operation must declare an event
    if (event.event === 'draft') event.data satisfies object
  }
  for await (const event of client.ai.escalations.stream()) {
    if (event.event === 'handoff_created') event.data.urgency satisfies 'low' | 'normal' | 'high' | 'critical'
    // @ts-expect-error the data depends on the event
    if (event.event === 'overflow') event.data.urgency satisfies string
  }
  client.ai.escalations.stream({}, { webSocket: true })
  // @ts-expect-error the answer of one call has no WebSocket
  client.ai.turns.sendMessage.stream(message, { webSocket: true })
  ;(await client.ai.escalations.stream.createUrl()) satisfies string
  // @ts-expect-error the client creates the ticket
  client.ai.escalations.stream({ ticket: 'a' })
  // @ts-expect-error no EventSource can send a POST
  client.ai.handoffs.draft.createUrl
  // @ts-expect-error this operation has no stream
  client.accounts.teams.create.stream

  const upload = await client.uploads.create({ file: new Blob(), filename: 'photo.png' })
  upload.id satisfies string
  // @ts-expect-error a file is a Blob
  client.uploads.create({ file: 'photo.png' })
  ;(await client.uploads.get({ upload_id: upload.id })) satisfies File
  for await (const page of client.flows.trees.list().pages()) page satisfies FlowListItem[]
  const [selected] = await client.flows.trees.list({ limit: 2, fields: ['id', 'name'] })
  selected?.name satisfies string | undefined
  // @ts-expect-error a field that was not selected
  selected?.description
  // @ts-expect-error an unknown field
  client.flows.trees.list({ fields: ['secret'] })
  const session: Session = await client.sessions.get({ session_id: 'a' })
  session satisfies SessionResponse
  const changes = await client.sessions.steps.undoDecision({ session_id: 'a' }, { fields: ['state'] })
  changes.state satisfies string
  // @ts-expect-error a field that was not selected
  changes.tree_snapshot

  if (isApiError(error, 'flows.trees.update')) {
    error.errors satisfies { msg: string }[]
    if (error.code === 'stale_version') error.body.current_version satisfies unknown
    // @ts-expect-error the operation does not declare this code
    if (error.code === 'kb_quota_exceeded') error.status satisfies number
  }
  if (isApiError(error)) error satisfies ApiError
}
