type Json = Record<string, unknown>
type Check = (block: Json) => boolean

const maxBlocks = 50
const maxTotalCharacters = 13_000

/** Return Slack's error code for a webhook payload, or undefined if Slack would post it. */
export function findSlackError(payload: unknown): string | undefined {
  if (!isJson(payload)) return 'invalid_payload'
  const { text, blocks } = payload
  if (text !== undefined && typeof text !== 'string') return 'invalid_payload'
  if (blocks === undefined) return text ? undefined : 'no_text'
  if (!Array.isArray(blocks) || blocks.length > maxBlocks || !blocks.every(isBlock)) return 'invalid_blocks'
  if (blocks.length === 0 && !text) return 'no_text'
  return countCharacters(blocks) > maxTotalCharacters ? 'msg_blocks_too_long' : undefined
}

const blockChecks: Record<string, Check> = {
  header: ({ text }) => isTextObject(text, 150, ['plain_text']),
  section: ({ text, fields, accessory }) =>
    (text !== undefined || fields !== undefined) &&
    (text === undefined || isTextObject(text, 3000)) &&
    (fields === undefined || isList(fields, 10, (field) => isTextObject(field, 2000))) &&
    (accessory === undefined || isElement(accessory)),
  context: ({ elements }) =>
    isList(elements, 10, (element) => isTextObject(element, 3000) || (isJson(element) && isImage(element))),
  actions: ({ elements }) => isList(elements, 25, isElement),
  image: (block) =>
    isImage(block) && (block.title === undefined || isTextObject(block.title, 2000, ['plain_text'])),
  divider: () => true,
  markdown: ({ text }) => isString(text, 12_000),
  rich_text: ({ elements }) => Array.isArray(elements),
}

function isBlock(block: unknown): boolean {
  if (!isJson(block) || typeof block.type !== 'string') return false
  if (block.block_id !== undefined && !isString(block.block_id, 255)) return false
  return Object.hasOwn(blockChecks, block.type) && (blockChecks[block.type]?.(block) ?? false)
}

function isElement(element: unknown): boolean {
  if (!isJson(element)) return false
  if (element.type === 'image') return isImage(element)
  // The service only sends buttons. https://docs.slack.dev/reference/block-kit/block-elements/button-element
  if (element.type !== 'button') return typeof element.type === 'string'
  return (
    isTextObject(element.text, 75, ['plain_text']) &&
    (element.url === undefined || (isString(element.url, 3000) && URL.canParse(element.url))) &&
    (element.value === undefined || isString(element.value, 2000)) &&
    (element.style === undefined || element.style === 'primary' || element.style === 'danger') &&
    (element.action_id === undefined || isString(element.action_id, 255))
  )
}

function isImage({ type, image_url, alt_text }: Json): boolean {
  return type === 'image' && isString(image_url, 3000) && isString(alt_text, 2000)
}

function isTextObject(value: unknown, max: number, types = ['plain_text', 'mrkdwn']): boolean {
  return isJson(value) && types.includes(String(value.type)) && isString(value.text, max)
}

function isString(value: unknown, max: number): value is string {
  return typeof value === 'string' && value.length >= 1 && value.length <= max
}

function isList(value: unknown, max: number, every: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.length >= 1 && value.length <= max && value.every(every)
}

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Count the characters of all blocks. Slack limits their sum as well as each text. */
function countCharacters(value: unknown, key = ''): number {
  if (typeof value === 'string') return key === 'text' ? value.length : 0
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + countCharacters(item), 0)
  return isJson(value)
    ? Object.entries(value).reduce((sum, [name, item]) => sum + countCharacters(item, name), 0)
    : 0
}
