import resvg from '@resvg/resvg-wasm/index_bg.wasm'

// Workers refuse to compile wasm at run time, so the module is compiled at deployment.
export { resvg }
