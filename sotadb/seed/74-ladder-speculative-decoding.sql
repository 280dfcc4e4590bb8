-- Speculative decoding: several tokens for one pass over the weights.

INSERT INTO ladder (axis, title, fak_rung, op, position) VALUES
('speculative-decoding', 'Speculative decoding', -1, NULL,
 'the engine decodes one token at a time; when speculation comes, verifying has to give the bits of decoding');

INSERT INTO rung (axis, level, technique, year, month, change, url) VALUES
('speculative-decoding', 0, 'Blockwise parallel decoding', 2018, 11, 'extra heads guess ahead, one pass verifies', 'https://arxiv.org/abs/1811.03115'),
('speculative-decoding', 1, 'Draft-model speculative decoding', 2022, 11, 'a small model drafts, the large one verifies; the distribution stays the same', 'https://arxiv.org/abs/2211.17192'),
('speculative-decoding', 2, 'Token trees (SpecInfer)', 2023, 5, 'many drafts at once, verified as a tree', 'https://arxiv.org/abs/2305.09781'),
('speculative-decoding', 3, 'Medusa', 2024, 1, 'heads on the model itself draft; no second model', 'https://arxiv.org/abs/2401.10774'),
('speculative-decoding', 4, 'EAGLE', 2024, 1, 'drafts from the features of the last layer', 'https://arxiv.org/abs/2401.15077'),
('speculative-decoding', 5, 'EAGLE-2', 2024, 6, 'the tree follows the confidence of the draft', 'https://arxiv.org/abs/2406.16858'),
('speculative-decoding', 6, 'EAGLE-3', 2025, 3, 'features of several layers, trained as it is used', 'https://arxiv.org/abs/2503.01840'),
('speculative-decoding', 7, 'DFlash', 2026, 2, 'a block-diffusion drafter writes the whole draft at once', 'https://arxiv.org/abs/2602.06036');

INSERT INTO branch (axis, level, technique, year, month, change, url) VALUES
('speculative-decoding', 1, 'Speculative sampling', 2023, 2, 'the same for sampling, with a proof', 'https://arxiv.org/abs/2302.01318'),
('speculative-decoding', 2, 'Draft & Verify', 2023, 9, 'the model drafts with layers left out', 'https://arxiv.org/abs/2309.08168'),
('speculative-decoding', 2, 'Prompt lookup', 2023, 11, 'drafts copied from the prompt; no model at all', 'https://github.com/apoorvumang/prompt-lookup-decoding'),
('speculative-decoding', 2, 'REST', 2023, 11, 'drafts retrieved from a store of text', 'https://github.com/FasterDecoding/REST'),
('speculative-decoding', 4, 'Lookahead decoding', 2024, 2, 'Jacobi iteration and a pool of n-grams', 'https://arxiv.org/abs/2402.02057'),
('speculative-decoding', 4, 'Hydra', 2024, 2, 'draft heads that depend on each other', 'https://arxiv.org/abs/2402.05109'),
('speculative-decoding', 4, 'Sequoia', 2024, 2, 'trees sized for the machine', 'https://arxiv.org/abs/2402.12374'),
('speculative-decoding', 4, 'LayerSkip', 2024, 4, 'trained to leave early and verify the rest', 'https://arxiv.org/abs/2404.16710'),
('speculative-decoding', 4, 'Multi-token prediction', 2024, 4, 'several heads are trained from the start', 'https://arxiv.org/abs/2404.19737'),
('speculative-decoding', 5, 'SuffixDecoding', 2024, 11, 'drafts from a suffix tree of earlier output', 'https://arxiv.org/abs/2411.04975'),
('speculative-decoding', 5, 'DeepSeek-V3 MTP', 2024, 12, 'the module of multi-token prediction drafts', 'https://arxiv.org/abs/2412.19437');
