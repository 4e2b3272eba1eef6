// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ListingStatus, Project, PublishVersion, Register} from "../types/RegistryTypes.sol";
import {ISignedActions} from "./ISignedActions.sol";

/**
 * @title Projects and the versions committees must agree on
 * @notice A project's id is derived from its developer and slug, so nobody can register a project of somebody else's, and
 * a slug that is taken by one developer is free for another.
 */
interface IProjectRegistry is ISignedActions {
    event ProjectRegistered(
        bytes32 indexed projectId,
        address indexed developer,
        string slug,
        bytes32 worker,
        bytes32 consensusHash,
        bytes32 manifestHash
    );
    event VersionPublished(
        bytes32 indexed projectId,
        uint32 version,
        bytes32 consensusHash,
        bytes32 manifestHash
    );
    event ListingStatusSet(bytes32 indexed projectId, ListingStatus status);

    /// @notice A slug has 3 to 48 characters of a-z, 0-9 and inner hyphens.
    error InvalidSlug(string slug);

    /// @notice This developer already has a project with this slug.
    error AlreadyRegistered(bytes32 projectId);

    /// @notice Nobody registered such a project.
    error UnknownProject(bytes32 projectId);

    /// @notice Only the developer publishes versions.
    error NotDeveloper(bytes32 projectId, address account);

    /// @notice Versions only rise. Gaps are normal: a version that leaves the consensus alone never comes here.
    error VersionNotNewer(uint32 current, uint32 version);

    /// @notice Rejected and delisted projects stay so; states before the review are not set by a reviewer.
    error ListingNotAllowed(ListingStatus current, ListingStatus status);

    /// @notice Registers version 1 of a project of the caller.
    function register(
        string calldata slug,
        bytes32 worker,
        bytes32 consensusHash,
        bytes32 manifestHash
    ) external returns (bytes32 projectId);

    /// @notice Registers version 1 of the signer's project.
    function registerBySig(Register calldata action, bytes calldata signature) external returns (bytes32 projectId);

    /// @notice Publishes a version of a project of the caller.
    function publishVersion(
        bytes32 projectId,
        uint32 version,
        bytes32 consensusHash,
        bytes32 manifestHash
    ) external;

    /// @notice Publishes a version of the signer's project.
    function publishVersionBySig(PublishVersion calldata action, bytes calldata signature) external;

    /**
     * @notice Mirrors a decision of the review. Only a reviewer may.
     * @dev The review decides which state may follow which, and the rule is not repeated here, so that a mirror that missed a
     * step can always catch up. Only the states that must never be undone are enforced: rejected and delisted are final.
     */
    function setListingStatus(bytes32 projectId, ListingStatus status) external;

    /// @notice The project, or zeros when nobody registered it.
    function projectOf(bytes32 projectId) external view returns (Project memory);

    /// @notice The developer of a project, or zero when nobody registered it.
    function developerOf(bytes32 projectId) external view returns (address);

    /// @notice The id of a developer's project: keccak-256 of the network's tag, the developer's 20 bytes and the slug.
    function projectIdOf(address developer, string calldata slug) external view returns (bytes32);
}
