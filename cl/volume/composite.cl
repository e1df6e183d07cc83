/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * composite: slices of colour and opacity to one image, farthest first; one work-item a pixel.
 * TYPE, OUT: elements.
 */
__kernel void composite(__global const TYPE *rgba, __global OUT *image, int depth, long pixels) {
    long i = get_global_id(0);
    if (i >= pixels)
        return;
    float3 color = 0.0f;
    for (int d = 0; d < depth; d++) {
#if TYPE_F64
        float4 c = convert_float4(vload4(d * pixels + i, rgba));
#else
        float4 c = vload4(d * pixels + i, rgba);
#endif
        color = c.w * c.xyz + (1.0f - c.w) * color;
    }
    /* what is no number stays that, unlike with clamp */
    color = select(color, (float3)(0.0f), color < 0.0f);
    color = select(color, (float3)(1.0f), color > 1.0f);
    image[3 * i] = (OUT)color.x;
    image[3 * i + 1] = (OUT)color.y;
    image[3 * i + 2] = (OUT)color.z;
}
