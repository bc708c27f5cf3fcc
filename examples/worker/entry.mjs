// What Cloudflare calls, beside the module that `bindgen` made of the crate.
import * as rust from "./index.js";

export default {
    scheduled: (event, env, context) => rust.scheduled(event, env, context),
};
